import { expect, it } from 'vitest';
import { parseClocks } from './nvidia-smi';

const TWO = `1980, 3201, 41, 118.20, 0x0000000000000000, NVIDIA L4
1755, 3201, 63, 699.85, 0x0000000000000004, NVIDIA H200
`;

it('reads the row of the GPU that is measured', () => {
  expect(parseClocks(TWO, 'NVIDIA H200')).toEqual({
    smMHz: 1755,
    memoryMHz: 3201,
    temperatureC: 63,
    powerW: 699.85,
    limitedBy: ['power cap'],
  });
  expect(parseClocks(TWO, 'NVIDIA L4')?.limitedBy).toEqual([]);
});

it('says nothing where the tool does not', () => {
  expect(parseClocks('', 'NVIDIA H200')).toBeNull();
  expect(parseClocks('[N/A], 3201, 63, [N/A], 0x0, NVIDIA H200', 'NVIDIA H200')).toBeNull();
});
