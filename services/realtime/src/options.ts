import { flag, integer, type OptionDeclarations, type OptionValues } from '@holdfast/foundation'

/** Settings of channels. */
export const realtimeOptions = {
  realtimeEnabled: flag('Whether channels are served, at `/realtime/v1`.', { default: true }),
  realtimeClientsMax: integer(
    'Maximum number of open WebSockets. One address never holds more than remain for all others.',
    { default: 10_000, min: 1, max: 1_000_000 },
  ),
  realtimeChannelsPerClientMax: integer('Maximum number of channels per WebSocket.', {
    default: 100,
    min: 1,
    max: 10_000,
  }),
  realtimeJoinsPerSecondMax: integer(
    'Maximum number of joins per second and WebSocket. A reconnecting client joins all its channels at once.',
    { default: 100, min: 1, max: 100_000 },
  ),
  realtimeMessagesPerSecondMax: integer(
    'Maximum number of messages per second and WebSocket; a channel that exceeds it is closed. 0 for no limit.',
    { default: 500, min: 0, max: 1_000_000 },
  ),
  realtimeBytesPerSecondMax: integer(
    'Maximum number of bytes read per second and WebSocket; a faster client has to wait. 0 for no limit.',
    { default: 10_000_000, min: 0, max: 1_000_000_000 },
  ),
  realtimePayloadSizeMax: integer('Maximum payload of a broadcast in kB.', { default: 3_000, min: 1, max: 4_900 }),
  realtimeUnsentSizeMax: integer('Maximum KiB buffered for a slow client. Above it, its WebSocket is closed (1013).', {
    default: 4_096,
    min: 16,
    max: 1_048_576,
  }),
  realtimeUnsentTotalMax: integer(
    'Maximum KiB buffered for all clients together; a message shared by many counts once. Above it, the slowest clients are closed.',
    { default: 262_144, min: 1_024, max: 67_108_864 },
  ),
  realtimeArrivingTotalMax: integer(
    'How many KiB of messages that have not ended, or wait for others, are kept for all clients together. Above it the address with most of them loses connections.',
    { default: 131_072, min: 8_192, max: 67_108_864 },
  ),
  realtimeKeptTotalMax: integer(
    'How many KiB channels that are joined, and what members show, may take together. One address never has more of it than is left for all others; above it joins and `track` are refused.',
    { default: 524_288, min: 1_024, max: 67_108_864 },
  ),
  realtimeServerMessagesPerSecondMax: integer(
    'How many messages per second the server takes from all clients. Above it those who send most wait. 0 for no limit.',
    { default: 20_000, min: 0, max: 10_000_000 },
  ),
  realtimeRightsSeconds: integer(
    'After how many seconds at the latest the policies are asked again about each member of a private channel.',
    { default: 300, min: 1, max: 86_400 },
  ),
  realtimeSilenceSeconds: integer(
    'After how many seconds without a message of the client, such as its heartbeat, its WebSocket is closed.',
    { default: 60, min: 5, max: 3_600 },
  ),
  realtimePresenceCallsMax: integer(
    'How often one channel of a client may call track or untrack in 30 seconds; above it the channel is closed.',
    { default: 50, min: 1, max: 100_000 },
  ),
  realtimePrivateOnly: flag(
    'Whether only private channels may be joined, which policies on `realtime.messages` decide about.',
    { default: false },
  ),
} satisfies OptionDeclarations

export type RealtimeOptions = OptionValues<typeof realtimeOptions>
