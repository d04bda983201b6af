import { channelsOf, type ChannelOptions, type ChannelState, type SharedChannel, type Value } from '@holdfast/client'
import { useEffect, useMemo } from 'react'
import { useHoldfast } from './holdfast-provider.tsx'

const OFFLINE: ChannelState = { kind: 'offline' }

/** State of an unused channel. */
export const NOT_USED: Value<ChannelState> = { get: () => OFFLINE, subscribe: () => () => undefined }

/** Returns a topic's channel, held while the component is mounted. */
export function useChannel(topic: string | undefined, { isPrivate = true }: ChannelOptions): SharedChannel | undefined {
  const client = useHoldfast()
  const channel = useMemo(
    () => (topic === undefined ? undefined : channelsOf(client).open(topic, { isPrivate })),
    [client, topic, isPrivate],
  )
  useEffect(() => channel?.hold(), [channel])
  return channel
}
