import { readJson, type KeyValueStore } from '../key-value.ts'

/** Result of replacing a user's damaged database. */
export interface DamageReport {
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** Outbox operations carried over, which will be sent normally. */
  readonly kept: number
  /** Whether all unsent data could be read; if `false`, unsent changes or files may be lost. */
  readonly isWhole: boolean
  /** The damaged file, kept while some of it could not be read. */
  readonly fileName: string | undefined
}

/** Identifies a user's database file. */
interface LocalFile {
  /** Number of replacements so far. */
  readonly generation: number
  /** The file is damaged and must be replaced. */
  readonly isDamaged?: boolean
  readonly report?: DamageReport
}

const FIRST: LocalFile = { generation: 0 }
const keyOf = (userId: string): string => `holdfast-file-${userId}`

export async function readLocalFile(store: KeyValueStore, userId: string): Promise<LocalFile> {
  return (await readJson<LocalFile>(store, keyOf(userId))) ?? FIRST
}

export function fileNameOf(userId: string, { generation }: Pick<LocalFile, 'generation'>): string {
  return generation === 0 ? `holdfast-${userId}.db` : `holdfast-${userId}-${generation}.db`
}

export async function isMarked(store: KeyValueStore, userId: string, fileName: string): Promise<boolean> {
  const file = await readLocalFile(store, userId)
  return file.isDamaged === true && fileNameOf(userId, file) === fileName
}

export async function markDamaged(store: KeyValueStore, userId: string, fileName: string): Promise<void> {
  const file = await readLocalFile(store, userId)
  if (fileNameOf(userId, file) === fileName) await write(store, userId, { ...file, isDamaged: true })
}

export async function takeNextFile(
  store: KeyValueStore,
  userId: string,
  generation: number,
  report: DamageReport,
): Promise<void> {
  await write(store, userId, { generation, report })
}

export async function forgetReport(store: KeyValueStore, userId: string): Promise<void> {
  const { report: _, ...file } = await readLocalFile(store, userId)
  await write(store, userId, file)
}

export async function forgetLocalFile(store: KeyValueStore, userId: string): Promise<void> {
  await store.removeItem(keyOf(userId))
}

/** Gives the user's next database a new name. */
export async function skipGenerations(store: KeyValueStore, userId: string, generation: number): Promise<void> {
  await write(store, userId, { generation: generation + 1 })
}

async function write(store: KeyValueStore, userId: string, file: LocalFile): Promise<void> {
  await store.setItem(keyOf(userId), JSON.stringify(file))
}
