// The SDK's worker with SQLite or the sync stream. The order of imports matters, because prerequisites come first.
import './wait-for-sync-files.ts'
import './tell-stream-bytes.ts'
import '@powersync/web/bundled_worker'
