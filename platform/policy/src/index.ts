export {
  pinValues,
  type AccessClass,
  type BucketDefinition,
  type Dependency,
  type KeyExpression,
  type Pin,
  type PlannedColumn,
  type RowExpression,
  type StreamPlan,
  type SyncPlan,
  type TableName,
  type TablePlan,
} from './plan.ts'
export type { ReadingMemory } from './read/earlier-reading.ts'
export type { PolicyInput } from './catalog/policy-input.ts'
export { readPolicyInput } from './read/read-policy-input.ts'
export { chooseRowKey } from './row-key.ts'
export { shapeOfType, type TypeShape } from './type-shape.ts'
export type { EventTriggerStatement } from './syntax/event-trigger-statement.ts'
export { splitStatements, type SqlStatement } from './syntax/split-statements.ts'
export { compileSyncPlan } from './compile/compile-sync-plan.ts'
export { createPlanCompiler } from './compile/plan-compiler.ts'
export { installKeyFunctions } from './install-key-functions.ts'
export { describePlan, estimateClasses, type DefinitionDescription } from './explain.ts'
export { policyForms, type PolicyForm } from './policy-forms.ts'
export {
  anyOfLinks,
  cheapestLinks,
  claimLinksOf,
  type ClaimLinks,
  type LinkTerm,
  type TableLink,
} from './claim-links.ts'
export { preparePolicyParser } from './syntax/parse.ts'
export { compileWriteRules, type CompiledWriteRules } from './writes/compile-write-rules.ts'
export { FACT_VALUES_MAX, type FactQuery } from './writes/fact-queries.ts'
export { readWriteInput, writeFingerprint, type WriteInput } from './writes/read-write-input.ts'
