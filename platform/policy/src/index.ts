export type {
  BucketDefinition,
  Dependency,
  KeyExpression,
  PlannedColumn,
  RefusedTable,
  RowExpression,
  SyncPlan,
  TableName,
  TablePlan,
} from './plan.ts'
