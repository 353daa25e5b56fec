import { describeKernels } from '../gpu/kernel-suite.test-helper';
import { PRODUCTS } from './suite.test-helper';

describeKernels('matmul', PRODUCTS, 'quick');
