import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A handler with which the server is compared. */
export interface Plain extends AsyncDisposable {
  readonly url: string
  pid(): number
}

/** Starts it in a separate process. @param file - a script that prints its address */
export async function startPlain(file: URL, databaseUrl: string): Promise<Plain> {
  const child = spawn(process.execPath, [fileURLToPath(file), databaseUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    void gone.then(() => reject(new Error('the plain handler ended before it listened')))
  })
  return {
    url,
    pid: () => child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill()
      await gone
    },
  }
}
