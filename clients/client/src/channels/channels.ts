import type { HoldfastClient } from '../create-client.ts'
import { SharedChannel } from './shared-channel.ts'
import { shareSocket } from './socket.ts'
import { watchGate } from './watch-gate.ts'

export interface ChannelOptions {
  /** Whether policies on `realtime.messages` control access. Default: true. */
  readonly isPrivate?: boolean
}

/** A client's channels, for ephemeral data such as presence. Rows are synced instead. */
export interface Channels {
  /** Returns the topic's channel, shared by all callers. Joined only while held. Apps that join channels with supabase-js directly must use other topics. */
  open(topic: string, options?: ChannelOptions): SharedChannel
}

const known = new WeakMap<HoldfastClient, Channels>()

/** Returns the channels of a client, the same object each time. */
export function channelsOf(client: HoldfastClient): Channels {
  const channels = known.get(client) ?? openChannels(client)
  known.set(client, channels)
  return channels
}

function openChannels(client: HoldfastClient): Channels {
  const { supabase } = client
  const gate = watchGate(client)
  const socket = shareSocket(supabase, gate)
  // Weak references: while a component can still use a channel, its topic must not get a second one.
  const opened = new Map<string, WeakRef<SharedChannel>>()
  let token: string | undefined
  supabase.auth.onAuthStateChange((_event, session) => {
    if (session?.access_token === token) return
    token = session?.access_token
    for (const channel of opened.values()) channel.deref()?.tokenChanged()
  })
  return {
    open(topic, { isPrivate = true } = {}) {
      const key = `${isPrivate ? 'private' : 'public'} ${topic}`
      const known = opened.get(key)?.deref()
      if (known) return known
      for (const [other, channel] of opened) if (!channel.deref()) opened.delete(other)
      const channel = new SharedChannel({ topic, isPrivate, supabase, socket, gate })
      opened.set(key, new WeakRef(channel))
      return channel
    },
  }
}
