import {
  NO_PEOPLE,
  type ChannelOptions,
  type ChannelState,
  type People,
  type Present,
  type Value,
} from '@holdfast/client'
import { useEffect, useId, useMemo } from 'react'
import { NOT_USED, useChannel } from './use-channel.ts'
import { useValue } from './use-value.ts'

export interface PresenceOptions<State extends object> extends ChannelOptions {
  /** Validates presence states of other clients; return `undefined` to omit one. Default: accepted unchecked as `State`. */
  readonly parse?: (shown: unknown) => State | undefined
}

/** Present users. */
export interface LivePresence<State extends object> extends People<State> {
  /** Channel state, which may explain an empty list. Not an error to display. */
  readonly channel: ChannelState
}

const NO_PRESENCE: Value<People<unknown>> = { get: () => NO_PEOPLE, subscribe: () => () => undefined }

/**
 * Returns the users with the same topic on screen. Joined once for all components and left with the last. Offline or without access the list is empty; nothing
 * fails.
 *
 * @param topic - a private channel, controlled by policies on `realtime.messages`; `undefined` joins nothing
 * @param me - this user's state for others; `undefined` only observes. Sent at most once per second
 */
export function usePresence<State extends object>(
  topic: string | undefined,
  me: State | undefined,
  options: PresenceOptions<State> = {},
): LivePresence<State> {
  const { parse } = options
  const channel = useChannel(topic, options)
  const by = useId()
  const shown = me && JSON.stringify(me) // equal objects are the same state
  useEffect(() => {
    if (!channel || shown === undefined) return
    channel.show(by, JSON.parse(shown) as object)
    return () => channel.show(by, undefined)
  }, [channel, by, shown])
  const { people, total } = useValue(channel?.people ?? NO_PRESENCE)
  const state = useValue(channel?.state ?? NOT_USED)
  return useMemo(() => {
    const read = parse ?? ((shown: unknown) => shown as State)
    const readable = people.flatMap((person): readonly Present<State>[] => {
      const personState = read(person.state)
      return personState === undefined ? [] : [{ ...person, state: personState }]
    })
    return { people: readable, total, channel: state }
  }, [people, total, state, parse])
}
