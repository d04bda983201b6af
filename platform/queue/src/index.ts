export { claim, type Claimed, pruneSql, type QueueTable, retrySql, settleSql } from './queue-table.ts'
export { type Batch, QueueWorker } from './worker.ts'
