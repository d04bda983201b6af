import { readJson, type KeyValueStore } from '../key-value.ts'
import type { SessionUser } from './session-state.ts'
import { createValue, type Value } from '../value.ts'

/** A user with a local database on this device. */
export interface DevicePerson extends SessionUser {
  /** Time of last use, in ms since the epoch. */
  readonly usedAtMs: number
  /** Unsent operations, rejected changes and files when the database was last closed. */
  readonly unsent: number
  /** Signed out: opening the database requires signing in. */
  readonly isSignedOut: boolean
  /** The data is encrypted, and opens with the password or by signing in. */
  readonly isLocked: boolean
}

export interface DeviceUsers {
  /** Most recently used first. Empty until the store has been read. */
  readonly people: Value<readonly DevicePerson[]>
  remember(user: SessionUser): Promise<void>
  rememberUnsent(userId: string, unsent: number): Promise<void>
  rememberSignOut(userId: string): Promise<void>
  rememberLock(userId: string): Promise<void>
  /** Reads the stored list. */
  list(): Promise<readonly DevicePerson[]>
  /** Whether a user has used this device and signed out since. */
  isSignedOut(userId: string): Promise<boolean>
  /** Call when their database has been emptied. */
  forget(userId: string): Promise<void>
}

const PEOPLE_KEY = 'holdfast-people'

/** Keeps the device's list of users for display; the data is in the databases. */
export function openDeviceUsers(store: KeyValueStore, now: () => number): DeviceUsers {
  const people = createValue<readonly DevicePerson[]>([])
  let turn = (async () => people.set(await read()))().catch(() => undefined) // the session reports an unreadable store

  return {
    people,
    remember: ({ id, email }) =>
      change((known) => {
        const unsent = known.find((person) => person.id === id)?.unsent ?? 0
        return [{ id, email, usedAtMs: now(), unsent, isSignedOut: false, isLocked: false }, ...without(known, id)]
      }),
    rememberUnsent: (userId, unsent) =>
      change((known) => known.map((person) => (person.id === userId ? { ...person, unsent } : person))),
    rememberSignOut: (userId) =>
      change((known) => known.map((person) => (person.id === userId ? { ...person, isSignedOut: true } : person))),
    rememberLock: (userId) =>
      change((known) => known.map((person) => (person.id === userId ? { ...person, isLocked: true } : person))),
    list: read,
    async isSignedOut(userId) {
      return (await read()).some(({ id, isSignedOut }) => id === userId && isSignedOut)
    },
    forget: (userId) => change((known) => without(known, userId)),
  }

  /** Always read again, because another tab may have written. */
  function change(edit: (known: readonly DevicePerson[]) => readonly DevicePerson[]): Promise<void> {
    const mine = turn.then(async () => {
      const changed = edit(await read())
      await store.setItem(PEOPLE_KEY, JSON.stringify(changed))
      people.set(changed)
    })
    turn = mine.catch(() => undefined) // the caller handles it; the next one must still run
    return mine
  }

  async function read(): Promise<readonly DevicePerson[]> {
    const stored = await readJson<readonly DevicePerson[]>(store, PEOPLE_KEY)
    // Older versions did not record sign-outs. A last user who had not signed out is opened without asking.
    return Array.isArray(stored)
      ? stored.map((person) => ({
          ...person,
          isSignedOut: person.isSignedOut !== false,
          isLocked: person.isLocked === true,
        }))
      : []
  }
}

function without(people: readonly DevicePerson[], userId: string): readonly DevicePerson[] {
  return people.filter(({ id }) => id !== userId)
}
