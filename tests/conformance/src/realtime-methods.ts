import { createClient } from '@supabase/supabase-js'

function ownFunctions(prototype: object): string[] {
  return Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor' && !name.startsWith('_'))
    .map(([name]) => name)
}

/** Functions that speak to no server, or are for the library itself. */
const WITHOUT_SERVER = new Set([
  'realtime.endpointURL',
  'realtime.getChannels',
  'realtime.log',
  'realtime.hasLogger',
  'realtime.connectionState',
  'realtime.isConnected',
  'realtime.isConnecting',
  'realtime.isDisconnecting',
  'realtime.push',
  'channel.on',
  'channel.updateJoinPayload',
  'channel.teardown',
  'channel.copyBindings',
])

/** Every method with which an app reaches the server, as the classes of the client have them. */
export function realtimeMethods(): string[] {
  const client = createClient('http://127.0.0.1:9', 'key', { auth: { persistSession: false } })
  const realtime = Object.getPrototypeOf(client.realtime) as object
  const channel = Object.getPrototypeOf(client.channel('x')) as object
  return [
    ...ownFunctions(realtime).map((name) => `realtime.${name}`),
    ...ownFunctions(channel).map((name) => `channel.${name}`),
  ].filter((name) => !WITHOUT_SERVER.has(name))
}
