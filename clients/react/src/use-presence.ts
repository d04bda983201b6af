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
  /**
   * Reads what others show of themselves, and leaves out whoever it gives `undefined` for: it comes from their devices, unchecked. Default: it is taken
   * for a `State` as it is.
   */
  readonly parse?: (shown: unknown) => State | undefined
}

/** Who is there now. */
export interface LivePresence<State extends object> extends People<State> {
  /** The state of the channel, which may explain an empty list. Nothing to show as an error. */
  readonly channel: ChannelState
}

const NO_PRESENCE: Value<People<unknown>> = { get: () => NO_PEOPLE, subscribe: () => () => undefined }

/**
 * Who else has the same topic on the screen. It is joined once however many components ask for it, and left with the last one. Without a connection, or
 * without the right to join, the list is empty, and nothing fails.
 *
 * @param topic - a private channel, which policies on `realtime.messages` decide about; `undefined` joins nothing
 * @param me - what this user shows of themselves to the others; `undefined` only looks on. Sent at most once a second
 */
export function usePresence<State extends object>(
  topic: string | undefined,
  me: State | undefined,
  options: PresenceOptions<State> = {},
): LivePresence<State> {
  const { parse } = options
  const channel = useChannel(topic, options)
  const by = useId()
  const shown = me && JSON.stringify(me) // a new object with the same values shows the same
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
