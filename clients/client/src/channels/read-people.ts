import { PEOPLE_MAX } from './limits.ts'

/** A present user, on any number of devices and tabs. */
export interface Present<State> {
  /** The user's id, as claimed by the client: suitable for display, not for decisions. */
  readonly key: string
  /** Presence state; of several tabs the most recently changed. */
  readonly state: State
  readonly isMe: boolean
}

/** Present users of a topic. */
export interface People<State> {
  /** At most 100, in stable order. */
  readonly people: readonly Present<State>[]
  /** Total number, including omitted ones. */
  readonly total: number
}

export const NO_PEOPLE: People<never> = { people: [], total: 0 }

type PresenceState = Readonly<Record<string, readonly (object & { readonly presence_ref?: string })[]>>

/** Reads realtime-js's presence state of a topic. */
export function readPeople(presence: PresenceState, ownKey: string): People<unknown> {
  const keys = Object.keys(presence).toSorted()
  return {
    people: keys.slice(0, PEOPLE_MAX).map((key) => {
      const { presence_ref: _ref, ...state } = presence[key]?.at(-1) ?? {}
      return { key, state, isMe: key === ownKey }
    }),
    total: keys.length,
  }
}
