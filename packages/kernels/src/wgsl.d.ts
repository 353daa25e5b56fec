/** A shader is imported as its text: each bundler in use loads `.wgsl` as a string. */
declare module '*.wgsl' {
  const source: string;
  export default source;
}
