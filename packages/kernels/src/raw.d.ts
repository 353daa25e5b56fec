/** A shader, or a document, imported as its text: Vite's `?raw`, which every bundler here follows. */
declare module '*?raw' {
  const text: string;
  export default text;
}
