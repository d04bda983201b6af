import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HoldfastError } from '@holdfast/foundation'

/** How to apply the project to a new database. */
export interface ProjectPreparation {
  readonly seeds: boolean
  /** Version of the last migration to apply; `undefined` applies all. */
  readonly upTo: string | undefined
  /** ISO 8601 creation time of the previous database's oldest signing key. API keys, which are in apps' settings, depend on it. */
  readonly bornAt?: string | undefined
}

export const WHOLE_PROJECT: ProjectPreparation = { seeds: true, upTo: undefined }

/** Why a reset failed, for the command that requested it. */
interface Problem {
  readonly code: string
  readonly message: string
  readonly detail?: string | undefined
  readonly hint?: string | undefined
}

type Note = { readonly request: ProjectPreparation } | { readonly problem: Problem }

const pathIn = (dataDir: string): string => join(dataDir, 'reset.json')

/** Writes the reset request into the data folder for the server that reopens. Anyone who can write there could delete the database anyway. */
export function askForReset(dataDir: string, request: ProjectPreparation): void {
  write(dataDir, { request })
}

/** @returns the pending request; `undefined` if there is none */
export function readResetRequest(dataDir: string): ProjectPreparation | undefined {
  const note = read(dataDir)
  return note && 'request' in note ? note.request : undefined
}

/** Ends a reset, if one is pending. @param error - why it failed */
export function endReset(dataDir: string, error?: unknown): void {
  if (error === undefined) rmSync(pathIn(dataDir), { force: true })
  else if (readResetRequest(dataDir)) write(dataDir, { problem: problemOf(error) })
}

/**
 * @returns whether the reset has finished
 * @throws {HoldfastError} why it failed
 */
export function isResetDone(dataDir: string): boolean {
  if (!existsSync(pathIn(dataDir))) return true
  const note = read(dataDir)
  if (!note || !('problem' in note)) return false
  rmSync(pathIn(dataDir), { force: true })
  const { code, message, detail, hint } = note.problem
  throw new HoldfastError(code, 500, message, { ...(detail && { detail }), ...(hint && { hint }) })
}

function problemOf(error: unknown): Problem {
  if (error instanceof HoldfastError)
    return { code: error.code, message: error.message, detail: error.detail, hint: error.hint }
  return { code: 'internal_error', message: String(error), hint: 'The output of the server has more.' }
}

function read(dataDir: string): Note | undefined {
  try {
    return JSON.parse(readFileSync(pathIn(dataDir), 'utf8')) as Note
  } catch {
    return undefined // missing, or its writer was interrupted
  }
}

function write(dataDir: string, note: Note): void {
  const path = pathIn(dataDir)
  writeFileSync(`${path}.new`, JSON.stringify(note), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
