/** Its `main` is a CommonJS file that Node takes for a module: this one is one. */
declare module 'wgsl_reflect/wgsl_reflect.module.js' {
  export * from 'wgsl_reflect';
}
