import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, resolve } from 'node:path'
import { errorMessage, HoldfastError } from '@holdfast/foundation'
import type { ReadyLine } from '../running-file.ts'

/** Milliseconds that a command has to end after its signal. */
const END_MS = 8_000

/** A command beside the server: the development server of an app. */
export interface CommandProcess {
  /** Its exit code; 128 and the number of the signal that ended it, as shells say. */
  readonly ended: Promise<number>
  /** Passes a signal on, and resolves when it has ended; after a while it is killed. */
  end(signal?: NodeJS.Signals): Promise<void>
}

/**
 * What bundlers hand to apps by these beginnings of names: Vite and those on it, Next.js, Expo, SvelteKit and Astro, and what runs on servers.
 *
 * @see the quick starts of supabase.com/docs for each of them
 */
const PUBLIC_PREFIXES = ['VITE_', 'NEXT_PUBLIC_', 'EXPO_PUBLIC_', 'PUBLIC_', '']

/** The server's address and keys by the names that projects of the ecosystem read. Secret ones have no beginning that a bundler hands out. */
export function environmentOf(ready: ReadyLine): Readonly<Record<string, string>> {
  const named = PUBLIC_PREFIXES.flatMap((prefix) => [
    [`${prefix}SUPABASE_URL`, ready.base],
    [`${prefix}SUPABASE_PUBLISHABLE_KEY`, ready.publishableKey],
    [`${prefix}SUPABASE_ANON_KEY`, ready.anonKey],
  ])
  return {
    ...(Object.fromEntries(named) as Record<string, string>),
    SUPABASE_SECRET_KEY: ready.secretKey,
    SUPABASE_SERVICE_ROLE_KEY: ready.serviceRoleKey,
    SUPABASE_JWT_SECRET: ready.jwtSecret,
    SUPABASE_DB_URL: ready.db,
  }
}

/**
 * Runs a command with the terminal of this process, and programs of the project's packages in its path.
 *
 * @throws {HoldfastError} `command_not_found`
 */
export async function startCommand(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<CommandProcess> {
  const path = [resolve('node_modules/.bin'), env['PATH'] ?? ''].join(delimiter)
  const child = spawn(program, args, {
    stdio: 'inherit',
    env: { ...env, PATH: path },
    // Where programs of packages are scripts of the shell.
    shell: process.platform === 'win32',
  })
  const ended = new Promise<number>((done) =>
    child.once('exit', (code, signal) => done(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))),
  )
  await new Promise<void>((started, reject) => {
    child.once('spawn', started)
    child.once('error', (error) =>
      reject(
        new HoldfastError('command_not_found', 500, `"${program}" cannot be run: ${errorMessage(error)}`, {
          hint: 'After -- comes a program of the path or of node_modules/.bin, such as: holdfast dev -- npm run dev',
        }),
      ),
    )
  })
  return {
    ended,
    async end(signal = 'SIGTERM') {
      // Ctrl-C is for all processes of a terminal; a second one would end many at once.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
      await ended
      clearTimeout(timer)
    },
  }
}
