import type { OptionDeclarations, OptionValues } from '@holdfast/foundation'

/** Settings of channels. */
export const realtimeOptions = {
  realtimeEnabled: {
    type: 'boolean',
    default: true,
    description: 'Whether channels are served, at `/realtime/v1`.',
  },
  realtimeClientsMax: {
    type: 'integer',
    default: 10_000,
    min: 1,
    max: 1_000_000,
    description: 'Maximum number of open WebSockets. One address never holds more than remain for all others.',
  },
  realtimeChannelsPerClientMax: {
    type: 'integer',
    default: 100,
    min: 1,
    max: 10_000,
    description: 'Maximum number of channels per WebSocket.',
  },
  realtimeJoinsPerSecondMax: {
    type: 'integer',
    default: 100,
    min: 1,
    max: 100_000,
    description:
      'Maximum number of joins per second and WebSocket. A reconnecting client joins all its channels at once.',
  },
  realtimeMessagesPerSecondMax: {
    type: 'integer',
    default: 500,
    min: 0,
    max: 1_000_000,
    description:
      'Maximum number of messages per second and WebSocket; a channel that exceeds it is closed. 0 for no limit.',
  },
  realtimeBytesPerSecondMax: {
    type: 'integer',
    default: 10_000_000,
    min: 0,
    max: 1_000_000_000,
    description: 'Maximum number of bytes read per second and WebSocket; a faster client has to wait. 0 for no limit.',
  },
  realtimePayloadSizeMax: {
    type: 'integer',
    default: 3_000,
    min: 1,
    max: 4_900,
    description: 'Maximum payload of a broadcast in kB.',
  },
  realtimeUnsentSizeMax: {
    type: 'integer',
    default: 4_096,
    min: 16,
    max: 1_048_576,
    description: 'Maximum KiB buffered for a slow client. Above it, its WebSocket is closed (1013).',
  },
  realtimeUnsentTotalMax: {
    type: 'integer',
    default: 262_144,
    min: 1_024,
    max: 67_108_864,
    description:
      'Maximum KiB buffered for all clients together; a message shared by many counts once. Above it, the slowest clients are closed.',
  },
  realtimeArrivingTotalMax: {
    type: 'integer',
    default: 131_072,
    min: 8_192,
    max: 67_108_864,
    description:
      'How many KiB of messages that have not ended, or wait for others, are kept for all clients together. Above it the address with most of them loses connections.',
  },
  realtimeKeptTotalMax: {
    type: 'integer',
    default: 524_288,
    min: 1_024,
    max: 67_108_864,
    description:
      'How many KiB channels that are joined, and what members show, may take together. One address never has more of it than is left for all others; above it joins and `track` are refused.',
  },
  realtimeServerMessagesPerSecondMax: {
    type: 'integer',
    default: 20_000,
    min: 0,
    max: 10_000_000,
    description:
      'How many messages per second the server takes from all clients. Above it those who send most wait. 0 for no limit.',
  },
  realtimeRightsSeconds: {
    type: 'integer',
    default: 300,
    min: 1,
    max: 86_400,
    description:
      'After how many seconds at the latest the policies are asked again about each member of a private channel.',
  },
  realtimeSilenceSeconds: {
    type: 'integer',
    default: 60,
    min: 5,
    max: 3_600,
    description:
      'After how many seconds without a message of the client, such as its heartbeat, its WebSocket is closed.',
  },
  realtimePresenceCallsMax: {
    type: 'integer',
    default: 50,
    min: 1,
    max: 100_000,
    description:
      'How often one channel of a client may call track or untrack in 30 seconds; above it the channel is closed.',
  },
  realtimePrivateOnly: {
    type: 'boolean',
    default: false,
    description: 'Whether only private channels may be joined, which policies on `realtime.messages` decide about.',
  },
} satisfies OptionDeclarations

export type RealtimeOptions = OptionValues<typeof realtimeOptions>
