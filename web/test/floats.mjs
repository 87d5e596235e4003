/* floats.mjs - the same floats, bit for bit, from the command as WebAssembly and from the native
 * one: floats.mjs UOPC.WASM UOPC
 *
 * Inputs made from a seed, over a wide range; what is printed in full tells all bits but a NaN's,
 * which is always the same.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { runCommand } from './wasi.mjs';

const [wasmFile, native] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(wasmFile));

const inputs = (dtype) => `%x = param 0 dtype=${dtype} shape=(100, 100)
%y = param 1 dtype=${dtype} shape=(100, 100)
%wide = mul (exp2 (mul %x 40)) %y
`;
const bodies = {
  recip: 'recip %wide',
  sqrt: 'sqrt %wide',
  exp2: 'exp2 %wide',
  log2: 'log2 %wide',
  sin: 'sin %wide',
  product: 'mul %wide %y',
  sum: 'add %wide %y',
  max: 'max %wide %y',
  fused: 'add (mul %wide %y) %x',
  reduce: 'reduce %wide',
  toInt: 'cast (mul %wide 1000) : dtype=i32',
  toHalf: 'cast (cast %wide : dtype=f16) : dtype=f32',
};

let [passed, failed] = [0, 0];
for (const dtype of ['f32', 'f16'])
  for (const [name, body] of Object.entries(bodies))
    for (const seed of ['1', '2']) {
      const args = ['run', '--full', '--fill', seed, '-'];
      const input = Buffer.from(`${inputs(dtype)}%r = ${body}\n`);
      const here = runCommand(module, args, input);
      const there = execFileSync(native, args, { input, encoding: 'latin1', maxBuffer: 2 ** 28 });
      const same = here.status === 0 && here.out === there && here.out.length > 500;
      if (!same)
        console.log(
          `${name} of ${dtype}, seed ${seed}: not what the native command prints\n${here.err}`,
        );
      same ? passed++ : failed++;
    }
console.log(`floats as WebAssembly: ${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
