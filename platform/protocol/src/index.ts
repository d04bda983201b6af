export {
  type AutomationCondition,
  type AutomationConditions,
  type AutomationConfig,
  type AutomationSchedule,
  type AutomationStep,
  type AutomationTrigger,
  type AutomationValues,
  parseAutomation,
  placeholdersOf,
  renamePlaceholders,
  renderTemplate,
  type TemplateValues,
} from './automations.ts'
export {
  UPLOAD_BODY_BYTES_MAX,
  UPLOAD_PATH,
  type OperationVerdict,
  type UploadBatchRequest,
  type UploadBatchResponse,
  type UploadOperation,
  type UploadRequest,
  type UploadResponse,
  type UploadRow,
} from './upload.ts'
export {
  backoffMs,
  canonicalJson,
  errorMessage,
  isRecord,
  type JsonObject,
  parseJson,
  parseRecord,
  toError,
} from './plain-values.ts'
export { nextGuardBase, rebaseGuards, type GuardBase } from './guard-base.ts'
export {
  INCOMPLETE_PATH,
  type IncompleteAnswer,
  type IncompleteReason,
  type IncompleteTable,
} from './incomplete-tables.ts'
export type {
  HostAnswer,
  HostCallName,
  HostCalls,
  HostedServer,
  HostedUser,
  HostNote,
  HostProblem,
  HostRequest,
} from './testing.ts'
export {
  foldName,
  isLocalColumnName,
  isLocalTableName,
  localColumnNames,
  localTableNames,
  quoteName,
  tablesOfLocalName,
  type QualifiedName,
} from './local-names.ts'
export { isLongText } from './long-text.ts'
export { mergeLines, type MergedLines } from './merge-lines.ts'
export {
  DASHBOARD_FILTER_KINDS,
  DASHBOARD_FILTERS_MAX,
  type DashboardConfig,
  type DashboardFilter,
  type DashboardFilterKind,
  dashboardProblem,
  type DashboardTile,
  DATE_STEPS,
  type DateStep,
  MEASURE_KINDS,
  type MeasureKind,
  readDashboard,
  type ReadDashboard,
  renderDashboard,
  TILE_COLUMNS_MAX,
  TILE_HEIGHT_MAX,
  TILE_KINDS,
  TILE_WIDTH_MAX,
  type TileGroup,
  type TileKind,
  type TileMeasure,
  TILES_MAX,
  type UnreadTile,
} from './dashboard-config.ts'
export {
  FINISHED_STATES,
  type ModelColumn,
  type ModelTable,
  peopleTableOf,
  titleColumnOf,
  type WorkColumns,
  workColumnsOf,
} from './record-model.ts'
export { SCHEMA_PATH, type ColumnDescriptor, type SchemaDescriptor, type TableDescriptor } from './schema-descriptor.ts'
export type {
  BucketDescription,
  CheckpointCompleteLine,
  CheckpointDiffLine,
  CheckpointLine,
  ControlLine,
  PartialCheckpointCompleteLine,
  StreamDescription,
  SubscriptionReason,
  SyncRequest,
  TokenExpiresInLine,
} from './sync-lines.ts'
export {
  judgeWrite,
  type BrokenCheck,
  type JudgeContext,
  type Judgement,
  type NamedPolicy,
  type PlannedWrite,
  type RowStanding,
  type WriteRefusal,
} from './judge-write.ts'
export type { RuleRow } from './evaluate-rule.ts'
export {
  WRITE_RULES_PATH,
  type CommandRules,
  type RuleCheck,
  type RuleCondition,
  type RuleDefault,
  type RuleFact,
  type RuleGate,
  type RuleOperator,
  type RulePolicy,
  type RuleSteps,
  type RuleTest,
  type RuleTransitions,
  type RuleType,
  type RuleValue,
  type TableRules,
  type WriteCommand,
  type WriteRules,
} from './write-rules.ts'
export {
  CHECK_IDS_MAX,
  CHECK_PATH,
  CHECK_QUESTIONS_MAX,
  type CheckLine,
  type CheckQuestion,
  type CheckRequest,
} from './device-check.ts'
export { CHECK_RANGES_MAX, digestRow, RangeSums, rangeOfKey, type RangeSum } from './row-digest.ts'
export { FORMULA_TEXT_MAX, formulaTypeOf, readColumnSql } from './formula/columns.ts'
export {
  type ComputedContext,
  type ComputedDefinition,
  type ComputedField,
  computedSql,
  readComputedDefinition,
  ROLLUP_FUNCTIONS,
  type RollupFunction,
  tablesOfComputed,
} from './formula/computed.ts'
export { type FieldFormat, parseFieldFormat, type TextKind } from './field-format.ts'
export { checkFormula } from './formula/check.ts'
export {
  columnsOfFormula,
  type Formula,
  FORMULA_DEPTH_MAX,
  FORMULA_LENGTH_MAX,
  FORMULA_NODES_MAX,
  FormulaError,
  type FormulaField,
  type FormulaProblem,
  formulaSize,
  type FormulaType,
  readFormula,
} from './formula/formula.ts'
export { FORMULA_FUNCTIONS, type FormulaFunction } from './formula/functions.ts'
export { parseFormula, type ParsedFormula } from './formula/parse.ts'
export { printFormula } from './formula/print.ts'
export { compileSqlite, type SqlExpression, type SqliteContext } from './formula/sqlite.ts'
export {
  includesRole,
  isOperatorRole,
  OPERATOR_ROLES,
  type ConsoleSession,
  type Invitation,
  type ListedAuditEntry,
  type ListedInvitation,
  type ListedOperator,
  type ListedSession,
  type ListedUser,
  type Operator,
  type OperatorRole,
  type Overview,
  type PartHealth,
  type RequestHistory,
  type ServiceHistory,
} from './console.ts'
export type {
  DelayCause,
  DeviceComparison,
  DeviceDelay,
  DeviceDetails,
  DeviceTable,
  ListedDevice,
  ListedUpload,
  RejectionGroup,
} from './console-devices.ts'
export {
  FUNCTION_METHODS,
  type FunctionCall,
  type FunctionCaller,
  type FunctionCallOutcome,
  type FunctionCalls,
  type FunctionList,
  type FunctionLog,
  type FunctionLogLine,
  type ListedFunction,
} from './console-functions.ts'
export {
  QUEUE_COUNT_MAX,
  type JobList,
  type JobRun,
  type ListedJob,
  type ListedMail,
  type ListedQueue,
  type Mailbox,
  type QueueMessage,
  type RequestOutcome,
  type WaitingRequest,
  type WebhookList,
} from './console-jobs.ts'
export {
  API_KEY_NAMES,
  type ApiKeyName,
  type BackupList,
  type KeyList,
  type ListedApiKey,
  type ListedBackup,
  type ListedMigration,
  type MigrationList,
  type MigrationText,
  type OwnMigration,
  type Setting,
  type SettingList,
  type SettingOrigin,
  type SigningKey,
} from './console-settings.ts'
export { ADVICE_LEVELS, type Advice, type AdviceLevel } from './console-advisors.ts'
export {
  LOG_LEVELS,
  LOG_SERVICES,
  type ListedLogEntry,
  type LogEntry,
  type LogEntryLevel,
  type LogPage,
  type LogService,
} from './console-logs.ts'
export {
  type SavedQuery,
  type SqlColumn,
  type SqlError,
  type SqlExplain,
  type SqlHistoryEntry,
  type SqlOutcome,
  type SqlResult,
} from './console-sql.ts'
export {
  FILTER_OPERATORS,
  type ColumnValue,
  type FilterOperator,
  type ListedSchema,
  type ListedTable,
  type RelationKind,
  type RowChangeOutcome,
  type RowFilter,
  type RowSort,
  type TableCell,
  type TableColumnDetails,
  type TableConstraint,
  type TableDetails,
  type TableGrant,
  type TableIdentity,
  type TableIndex,
  type TableList,
  type TablePage,
  type TablePolicy,
  type TableRow,
  type TableSync,
} from './console-tables.ts'
export {
  TABLE_PRIVILEGES,
  type AppliedTableChange,
  type MigrationFolderState,
  type NewColumn,
  type TableChange,
  type TableChangePlan,
  type TablePrivilege,
} from './console-changes.ts'
export {
  POLICY_COMMANDS,
  policiesOf,
  type AccessExplanation,
  type AccessVerdict,
  type PolicyCommand,
  type PolicyIdentity,
  type PolicyResult,
  type PolicySync,
  type SeenRowsPage,
  type SyncedPart,
} from './console-policies.ts'
export type {
  BucketList,
  BucketPolicy,
  BucketUsage,
  BucketUsages,
  FileDetails,
  FilePreview,
  FolderPage,
  ListedBucket,
  ListedFile,
  PolicyScope,
} from './console-files.ts'
