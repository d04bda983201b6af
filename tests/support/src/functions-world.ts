import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openHoldfast, type Holdfast } from './open-holdfast.ts'

/** A project with edge functions and a server for them. */
export interface FunctionsWorld extends AsyncDisposable {
  readonly holdfast: Holdfast
  /** The project's folder, `supabase`. */
  readonly folder: string
  /** Writes a project file, relative to its folder. */
  write(path: string, text: string): void
  /** Returns a URL below `/functions/v1`. */
  url(path: string): string
}

/** @param files - project files, relative to its folder `supabase` */
export async function openFunctionsWorld(
  files: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<FunctionsWorld> {
  // Deno does not let functions read below `/dev`, where temporary files may be in memory.
  const parent = tmpdir().startsWith('/dev/') ? '/tmp' : tmpdir()
  const folder = mkdtempSync(join(parent, 'holdfast-project-'))
  chmodSync(folder, 0o755)
  const write = (path: string, text: string): void => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const holdfast = await openHoldfast({
    args: [
      `--functions-dir=${join(folder, 'functions')}`,
      `--functions-config=${join(folder, 'config.toml')}`,
      '--log-level=info',
      ...args,
    ],
  })
  return {
    holdfast,
    folder,
    write,
    url: (path) => `${holdfast.url}/functions/v1/${path}`,
    async [Symbol.asyncDispose]() {
      await holdfast[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
