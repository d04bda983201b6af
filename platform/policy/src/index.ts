export type {
  AccessClass,
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
export {
  describePlan,
  estimateClasses,
  type ClassCounts,
  type DefinitionDescription,
  type PlanDescription,
  type TableDescription,
} from './explain.ts'
export { policyForms, type PolicyForm } from './policy-forms.ts'
