import { readJson, type KeyValueStore } from '../key-value.ts'
import type { SessionUser } from '../session/session-state.ts'
import { createValue, type Value } from '../value.ts'

/** A person whose local database is on this device. */
export interface DevicePerson extends SessionUser {
  /** When they used it last, in milliseconds since the epoch. */
  readonly usedAtMs: number
  /** What was not on the server when their database was closed last: operations in the outbox, refused changes, and files. */
  readonly unsent: number
  /** They signed out: nobody opens their database without signing in. */
  readonly isSignedOut: boolean
}

export interface DevicePeople {
  /** Who used this device last comes first. Empty until the store has answered. */
  readonly people: Value<readonly DevicePerson[]>
  remember(user: SessionUser): Promise<void>
  rememberUnsent(userId: string, unsent: number): Promise<void>
  rememberSignOut(userId: string): Promise<void>
  /** Whether a person has used this device and signed out since. */
  isSignedOut(userId: string): Promise<boolean>
  /** Their database is empty now. */
  forget(userId: string): Promise<void>
}

const PEOPLE_KEY = 'holdfast-people'

/** Keeps the list of people in the store of the device. It is for showing; the data itself is in the databases. */
export function openDevicePeople(store: KeyValueStore, now: () => number): DevicePeople {
  const people = createValue<readonly DevicePerson[]>([])
  let turn = (async () => people.set(await read()))().catch(() => undefined) // the session tells that the store cannot be read

  return {
    people,
    remember: ({ id, email }) =>
      change((known) => {
        const unsent = known.find((person) => person.id === id)?.unsent ?? 0
        return [{ id, email, usedAtMs: now(), unsent, isSignedOut: false }, ...without(known, id)]
      }),
    rememberUnsent: (userId, unsent) =>
      change((known) => known.map((person) => (person.id === userId ? { ...person, unsent } : person))),
    rememberSignOut: (userId) =>
      change((known) => known.map((person) => (person.id === userId ? { ...person, isSignedOut: true } : person))),
    async isSignedOut(userId) {
      return (await read()).some(({ id, isSignedOut }) => id === userId && isSignedOut)
    },
    forget: (userId) => change((known) => without(known, userId)),
  }

  /** Read again each time: another tab may have written. */
  function change(edit: (known: readonly DevicePerson[]) => readonly DevicePerson[]): Promise<void> {
    const mine = turn.then(async () => {
      const changed = edit(await read())
      await store.setItem(PEOPLE_KEY, JSON.stringify(changed))
      people.set(changed)
    })
    turn = mine.catch(() => undefined) // its caller hears of it; the next in turn must still run
    return mine
  }

  async function read(): Promise<readonly DevicePerson[]> {
    const stored = await readJson<readonly DevicePerson[]>(store, PEOPLE_KEY)
    // An older version did not note who signed out. The last user who has not is opened without being asked for.
    return Array.isArray(stored)
      ? stored.map((person) => ({ ...person, isSignedOut: person.isSignedOut !== false }))
      : []
  }
}

function without(people: readonly DevicePerson[], userId: string): readonly DevicePerson[] {
  return people.filter(({ id }) => id !== userId)
}
