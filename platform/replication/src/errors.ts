import { HoldfastError, errorMessage } from '@holdfast/foundation'

/** The slot was dropped, or the database is a different one. Its pending changes are lost. */
export const replicationSlotMissing = (slot: string, cause?: unknown): HoldfastError =>
  new HoldfastError('replication_slot_missing', 503, `replication slot "${slot}" does not exist`, {
    detail: 'Postgres has no position to continue from, so changes since the last confirmed one are unknown.',
    hint: 'Create the slot again and read the tables again at its snapshot.',
    cause,
  })
/** Postgres removed WAL that the slot still needed (`max_slot_wal_keep_size`, `idle_replication_slot_timeout`). */
export const replicationSlotLost = (slot: string, reason: string, cause?: unknown): HoldfastError =>
  new HoldfastError('replication_slot_lost', 503, `replication slot "${slot}" has lost its place in the WAL`, {
    detail: `Postgres says: ${reason}.`,
    hint: 'Drop the slot, create it again and read the tables again at its snapshot. Raise max_slot_wal_keep_size if this happens again.',
    cause,
  })
/** Another connection is reading the slot. */
export const replicationSlotBusy = (slot: string, activePid: number | undefined, cause?: unknown): HoldfastError =>
  new HoldfastError('replication_slot_busy', 503, `replication slot "${slot}" is being read by another connection`, {
    detail: activePid === undefined ? undefined : `The backend with pid ${activePid} reads it.`,
    hint: 'Another node has the slot, or Postgres has not yet noticed that the last reader died. Try again, or release the slot.',
    cause,
  })
export const replicationSlotExists = (slot: string, cause: unknown): HoldfastError =>
  new HoldfastError('replication_slot_exists', 409, `replication slot "${slot}" already exists`, {
    detail: 'A slot keeps its own position; it cannot be created over an existing one.',
    hint: 'Read from the existing slot, or drop it first.',
    cause,
  })
/** `wal_level`, `max_replication_slots`, `max_wal_senders` or the role's rights prevent logical replication. */
export const replicationNotConfigured = (cause: unknown): HoldfastError =>
  new HoldfastError('replication_not_configured', 503, 'Postgres does not allow logical replication', {
    detail: `Postgres says: ${errorMessage(cause)}.`,
    hint: 'Set wal_level = logical, leave room in max_replication_slots and max_wal_senders, and connect as a role with REPLICATION.',
    cause,
  })
export const replicationConnectionLost = (cause: unknown): HoldfastError =>
  new HoldfastError('replication_connection_lost', 503, 'the replication connection to Postgres was lost', {
    detail: `The connection ended with: ${errorMessage(cause)}.`,
    hint: 'Open the stream again; it continues from the last confirmed position.',
    cause,
  })
export const publicationMissing = (publication: string): HoldfastError =>
  new HoldfastError('replication_publication_missing', 503, `publication "${publication}" does not exist`, {
    detail: 'A slot read through a publication that does not exist delivers nothing, without an error.',
    hint: 'Make the publication first.',
  })
/** The publication covers all tables or whole schemas, so it is not ours and is left unchanged. */
export const publicationForeign = (publication: string): HoldfastError =>
  new HoldfastError('replication_publication_foreign', 409, `publication "${publication}" is not a list of tables`, {
    detail: 'It was made FOR ALL TABLES or FOR TABLES IN SCHEMA.',
    hint: 'Use another name, or drop that publication.',
  })
