import { flag, integer, type OptionDeclarations, type OptionValues } from '@holdfast/foundation'

/** Settings of channels. */
export const realtimeOptions = {
  realtimeEnabled: flag('Whether channels are served, at `/realtime/v1`.', { default: true }),
  realtimeClientsMax: integer('Maximum open WebSockets. One address never holds more than remain for others.', {
    default: 10_000,
    min: 1,
    max: 1_000_000,
  }),
  realtimeChannelsPerClientMax: integer('Maximum channels per WebSocket.', {
    default: 100,
    min: 1,
    max: 10_000,
  }),
  realtimeJoinsPerSecondMax: integer(
    'Maximum joins per second and WebSocket. A reconnecting client joins all its channels at once.',
    { default: 100, min: 1, max: 100_000 },
  ),
  realtimeMessagesPerSecondMax: integer(
    'Maximum messages per second and WebSocket; a channel that exceeds it is closed. 0 for no limit.',
    { default: 500, min: 0, max: 1_000_000 },
  ),
  realtimeBytesPerSecondMax: integer(
    'Maximum bytes read per second and WebSocket; faster clients wait. 0 for no limit.',
    { default: 10_000_000, min: 0, max: 1_000_000_000 },
  ),
  realtimePayloadSizeMax: integer('Maximum broadcast payload in kB.', { default: 3_000, min: 1, max: 4_900 }),
  realtimeUnsentSizeMax: integer('Maximum KiB buffered for a slow client, whose WebSocket is then closed (1013).', {
    default: 4_096,
    min: 16,
    max: 1_048_576,
  }),
  realtimeUnsentTotalMax: integer(
    'Maximum KiB buffered for all clients; a shared message counts once. Above it, the slowest clients are closed.',
    { default: 262_144, min: 1_024, max: 67_108_864 },
  ),
  realtimeArrivingTotalMax: integer(
    'Maximum KiB of incomplete or queued messages from all clients. Above it, the address with the most loses connections.',
    { default: 131_072, min: 8_192, max: 67_108_864 },
  ),
  realtimeKeptTotalMax: integer(
    'Maximum KiB of joined channels and presence state. One address never has more than it leaves to others; above it, joins and `track` are refused.',
    { default: 524_288, min: 1_024, max: 67_108_864 },
  ),
  realtimeServerMessagesPerSecondMax: integer(
    'Maximum messages per second from all clients. Above it, the busiest senders wait. 0 for no limit.',
    { default: 20_000, min: 0, max: 10_000_000 },
  ),
  realtimeRightsSeconds: integer(
    'Maximum seconds until the policies of private channels are evaluated again for each member.',
    { default: 300, min: 1, max: 86_400 },
  ),
  realtimeSilenceSeconds: integer(
    'Seconds without a message, such as a heartbeat, after which a WebSocket is closed.',
    { default: 60, min: 5, max: 3_600 },
  ),
  realtimePresenceCallsMax: integer(
    'Maximum track and untrack calls per channel and client in 30 seconds; above it the channel is closed.',
    { default: 50, min: 1, max: 100_000 },
  ),
  realtimePrivateOnly: flag(
    'Whether only private channels, governed by policies on `realtime.messages`, may be joined.',
    { default: false },
  ),
} satisfies OptionDeclarations

export type RealtimeOptions = OptionValues<typeof realtimeOptions>
