import { register as registerLoader } from 'node:module';
import { register as registerTypeScript } from 'tsx/esm/api';

/** `node --import` of this file runs TypeScript sources and their shaders as they are. */
registerTypeScript();
registerLoader('./raw-loader.mjs', import.meta.url);
