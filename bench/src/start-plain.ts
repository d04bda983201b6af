import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Starts a handler that the server is compared with, in a process of its own. @param file - prints its address */
export async function startPlain(file: URL, databaseUrl: string): Promise<{ readonly url: string } & AsyncDisposable> {
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
    async [Symbol.asyncDispose]() {
      child.kill()
      await gone
    },
  }
}
