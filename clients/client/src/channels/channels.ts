import type { HoldfastClient } from '../create-client.ts'
import { SharedChannel } from './shared-channel.ts'
import { shareSocket } from './socket.ts'
import { watchGate } from './watch-gate.ts'

export interface ChannelOptions {
  /** Whether policies on `realtime.messages` decide who may join. Default: yes. */
  readonly isPrivate?: boolean
}

/** Channels of a client: for what may be lost, such as who is there. Rows come by sync. */
export interface Channels {
  /**
   * The channel of a topic, one for all that ask for it. Nothing is joined before it is held. It belongs to the kit: a topic that the app joins with
   * supabase-js itself has to be another one.
   */
  open(topic: string, options?: ChannelOptions): SharedChannel
}

const known = new WeakMap<HoldfastClient, Channels>()

/** The channels of a client, the same object for the same client. */
export function channelsOf(client: HoldfastClient): Channels {
  const channels = known.get(client) ?? openChannels(client)
  known.set(client, channels)
  return channels
}

function openChannels(client: HoldfastClient): Channels {
  const { supabase } = client
  const gate = watchGate(client)
  const socket = shareSocket(supabase, gate)
  // A component may keep a channel for longer than it uses it, and use it again: while anybody can, the topic has no other one.
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
