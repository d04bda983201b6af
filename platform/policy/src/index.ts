export type {
  BucketDefinition,
  Dependency,
  KeyExpression,
  KeyFunction,
  PlannedColumn,
  RefusedTable,
  RowExpression,
  SyncPlan,
  TableName,
  TablePlan,
} from './plan.ts'
export type { PolicyInput } from './catalog/policy-input.ts'
export { readPolicyInput, type ReadPolicyInputOptions } from './catalog/read-policy-input.ts'
export { compileSyncPlan } from './compile/compile-sync-plan.ts'
export { describePlan, type DefinitionDescription, type PlanDescription, type TableDescription } from './explain.ts'
