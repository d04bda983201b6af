import { PEOPLE_MAX } from './limits.ts'

/** One user who is there, on however many devices and tabs. */
export interface Present<State> {
  /** The user's id. Others of the topic could claim it: show it, and decide nothing by it. */
  readonly key: string
  /** What they show of themselves: of several tabs, that which changed last. */
  readonly state: State
  readonly isMe: boolean
}

/** Who is there. */
export interface People<State> {
  /** In an order that does not change while they stay, at most 100 of them. */
  readonly people: readonly Present<State>[]
  /** How many there are, those left out included. */
  readonly total: number
}

export const NO_PEOPLE: People<never> = { people: [], total: 0 }

type PresenceState = Readonly<Record<string, readonly (object & { readonly presence_ref?: string })[]>>

/** Reads what realtime-js knows of a topic. */
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
