/** Channels: broadcast and presence over WebSockets. */
export { openRealtime, type RealtimeService } from './realtime.ts'
export { realtimeMigrations } from './migrations.ts'
export { realtimeOptions, type RealtimeOptions } from './options.ts'
