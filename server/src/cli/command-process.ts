import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, resolve } from 'node:path'
import { errorMessage, HoldfastError } from '@holdfast/foundation'
import type { ReadyLine } from '../running-file.ts'

/** Time in ms for a command to end after its signal. */
const END_MS = 8_000

/** A command run beside the server: an app's development server. */
export interface CommandProcess {
  /** Its exit code; 128 plus the signal number, as in shells. */
  readonly ended: Promise<number>
  /** Forwards a signal and resolves at the end; kills the command after a timeout. */
  end(signal?: NodeJS.Signals): Promise<void>
}

/**
 * Prefixes of variables that bundlers expose to apps: Vite and derivatives, Next.js, Expo, SvelteKit and Astro, and servers.
 *
 * @see the quick starts at supabase.com/docs
 */
const PUBLIC_PREFIXES = ['VITE_', 'NEXT_PUBLIC_', 'EXPO_PUBLIC_', 'PUBLIC_', '']

/** Returns the server's URL and keys under the ecosystem's variable names. Secrets get no exposed prefix. */
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
 * Runs a command in this terminal, with the project's package binaries in its path.
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
    // Package binaries are shell scripts there.
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
      // Ctrl-C reaches all processes of a terminal; a second signal would force many to quit.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
      await ended
      clearTimeout(timer)
    },
  }
}
