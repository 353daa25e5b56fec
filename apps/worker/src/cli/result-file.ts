import { access, constants, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { messageOf } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';

/** A file that is always whole: what was last written, or what was there before. */
export class ResultFile {
  readonly #path: string;
  readonly #flag: string;

  private constructor(path: string, flag: string) {
    this.#path = path;
    this.#flag = flag;
  }

  /** Throws InputError at the flag if nothing can be written there; changes nothing. */
  static async at(path: string, flag: string): Promise<ResultFile> {
    const target = await realpath(path).catch(() => path);
    const there = await stat(target).catch(() => null);
    if (there && !there.isFile()) {
      throw new InputError(`cannot write ${path}: it is not a file`, flag);
    }
    const file = new ResultFile(target, flag);
    await file.#attempt(async () => {
      if (there) await access(target, constants.W_OK);
      await writeFile(file.#partial, '');
      await rm(file.#partial);
    });
    return file;
  }

  /** Throws InputError at the flag. */
  async write(text: string): Promise<void> {
    await this.#attempt(async () => {
      await writeFile(this.#partial, text);
      await rename(this.#partial, this.#path);
    });
  }

  /** In the same folder, so that renaming it is one step. */
  get #partial(): string {
    return `${this.#path}.${process.pid}.partial`;
  }

  async #attempt(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      const reason = messageOf(error);
      throw new InputError(`cannot write ${this.#path}: ${reason}`, this.#flag);
    }
  }
}
