import { readFileSync } from 'node:fs'

/** @returns what a test runner left as JSON; `undefined` when it ended before it wrote anything: its exit code says that it failed */
export function readReport<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch {
    return undefined
  }
}
