/** A primer is imported as its text. */
declare module '*.md?raw' {
  const text: string;
  export default text;
}
