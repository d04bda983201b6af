import { channelsOf, type ChannelOptions, type ChannelState, type SharedChannel, type Value } from '@holdfast/client'
import { useEffect, useMemo } from 'react'
import { useHoldfast } from './holdfast-context.ts'

const OFFLINE: ChannelState = { kind: 'offline' }

/** The state of a channel that is not used. */
export const NOT_USED: Value<ChannelState> = { get: () => OFFLINE, subscribe: () => () => undefined }

/** The channel of a topic, held while the component is mounted. */
export function useChannel(topic: string | undefined, { isPrivate = true }: ChannelOptions): SharedChannel | undefined {
  const client = useHoldfast()
  const channel = useMemo(
    () => (topic === undefined ? undefined : channelsOf(client).open(topic, { isPrivate })),
    [client, topic, isPrivate],
  )
  useEffect(() => channel?.hold(), [channel])
  return channel
}
