import { printMutants } from './mutants/table';

await printMutants();
