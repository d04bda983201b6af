import { readFileSync } from 'node:fs'

/** @returns a test runner's JSON report; `undefined` if it exited before writing one, which its exit code shows */
export function readReport<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch {
    return undefined
  }
}
