// The SDK's worker, with SQLite or the sync stream in it. What it builds on is set up first, so the order of these imports matters.
import './wait-for-sync-files.ts'
import './tell-stream-bytes.ts'
import '@powersync/web/bundled_worker'
