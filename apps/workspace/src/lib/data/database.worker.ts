// The worker that has SQLite, with files that are waited for. The first import has to come first.
import './wait-for-sync-files.ts'
import '@powersync/web/bundled_worker'
