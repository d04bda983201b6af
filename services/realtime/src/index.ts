/** Channels: broadcast and presence over WebSockets. */
export { openBus } from './bus/open-bus.ts'
export { openRealtime, type RealtimeService } from './realtime.ts'
export { realtimeMigrations } from './migrations.ts'
export { realtimeOptions, type RealtimeOptions } from './options.ts'
