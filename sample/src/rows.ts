/** The sample's rows by column name; Postgres fills omitted columns. */

export type SiteKind = 'pumping_station' | 'reservoir' | 'treatment_works' | 'valve_house'
export type AssetKind =
  | 'pump'
  | 'motor'
  | 'valve'
  | 'tank'
  | 'filter'
  | 'dosing_unit'
  | 'sensor'
  | 'control_panel'
  | 'generator'
  | 'pipework'
export type ItemKind = 'yes_no' | 'reading' | 'choice' | 'text' | 'photo'
export type InspectionState = 'scheduled' | 'in_progress' | 'submitted' | 'returned' | 'approved' | 'cancelled'
export type Severity = 'low' | 'medium' | 'high' | 'critical'
export type FindingState = 'open' | 'mitigated' | 'closed' | 'duplicate'
export type ActionState = 'open' | 'doing' | 'blocked' | 'to_verify' | 'verified' | 'dropped'

interface Row {
  readonly id: string
  readonly created_at: string
  readonly updated_at: string
}

export interface UserRow extends Row {
  readonly name: string
  readonly email: string
}
export interface RegionRow extends Row {
  readonly name: string
  readonly code: string
}
export interface WorkspaceRow extends Row {
  readonly name: string
  readonly time_zone: string
  readonly language: string
}
export interface MemberRow extends Row {
  readonly workspace_id: string
  readonly user_id: string
  readonly role: 'guest' | 'viewer' | 'commenter' | 'editor' | 'admin' | 'owner'
  readonly name: string
}
export interface TeamRow extends Row {
  readonly workspace_id: string
  readonly name: string
  readonly color: string
  readonly area: string
  readonly lead_user_id: string
}
export interface TeamMemberRow extends Row {
  readonly team_id: string
  readonly user_id: string
  readonly function: 'lead' | 'member'
}
export interface ContractorRow extends Row {
  readonly name: string
  readonly trade: string
  readonly contact_email: string
  readonly phone: string
  readonly insured_until: string
}
export interface PersonRow extends Row {
  readonly name: string
  readonly kind: 'employee' | 'contractor' | 'auditor'
  readonly phone: string
  readonly certifications: readonly string[]
  readonly user_id: string
  readonly team_id: string | null
  readonly contractor_id: string | null
}
export interface SiteRow extends Row {
  readonly region_id: string
  readonly name: string
  readonly code: string
  readonly kind: SiteKind
  readonly address: string
  readonly lat: number
  readonly lon: number
  readonly access_notes: string | null
  readonly hazard_level: number
  readonly status: 'active' | 'standby' | 'decommissioned'
}
export interface AssetRow extends Row {
  readonly site_id: string
  readonly parent_asset_id: string | null
  readonly tag: string
  readonly name: string
  readonly kind: AssetKind
  readonly manufacturer: string
  readonly model: string
  readonly serial_no: string
  readonly installed_on: string
  readonly criticality: 'A' | 'B' | 'C'
  readonly qr_code: string
}
export interface TemplateRow extends Row {
  readonly name: string
  readonly version: number
  readonly frequency_days: number
  readonly active: boolean
}
export interface TemplateItemRow extends Row {
  readonly template_id: string
  readonly position: number
  readonly section: string
  readonly prompt: string
  readonly kind: ItemKind
  readonly required: boolean
  readonly unit: string | null
  readonly min: number | null
  readonly max: number | null
  readonly choices: readonly string[] | null
  readonly finding_when: string | null
}
export interface InspectionRow extends Row {
  readonly number: string
  readonly site_id: string
  readonly asset_id: string | null
  readonly template_id: string
  readonly team_id: string
  readonly assignee_id: string
  readonly reviewer_id: string | null
  readonly state: InspectionState
  readonly scheduled_on: string
  readonly started_at: string | null
  readonly submitted_at: string | null
  readonly weather: string | null
  readonly score: number | null
  readonly created_by: string
}
export interface AnswerRow extends Row {
  readonly inspection_id: string
  readonly template_item_id: string
  readonly value_bool: boolean | null
  readonly value_num: number | null
  readonly value_text: string | null
  readonly value_choice: string | null
  readonly limit_min: number | null
  readonly limit_max: number | null
  readonly created_by: string
}
export interface FindingRow extends Row {
  readonly number: string
  readonly inspection_id: string | null
  readonly site_id: string
  readonly asset_id: string | null
  readonly answer_id: string | null
  readonly duplicate_of: string | null
  readonly title: string
  readonly detail: string
  readonly severity: Severity
  readonly state: FindingState
  readonly lat: number
  readonly lon: number
  readonly created_by: string
}
export interface PhotoRow extends Row {
  readonly finding_id: string | null
  readonly inspection_id: string | null
  readonly caption: string
  readonly taken_at: string
  readonly attachment_id: string | null
  readonly annotation: object | null
  readonly created_by: string
}
export interface ActionRow extends Row {
  readonly number: string
  readonly finding_id: string
  readonly site_id: string
  readonly team_id: string
  readonly owner_id: string
  readonly contractor_id: string | null
  readonly verified_by: string | null
  readonly title: string
  readonly detail: string
  readonly state: ActionState
  readonly priority: number
  readonly due_on: string
  readonly est_hours: number
  readonly cost: number | null
  readonly blocked_reason: string | null
  readonly created_by: string
}
/** A view is dated by the moment it is written: it tells nothing of the water company. */
export interface ViewRow {
  readonly id: string
  readonly workspace_id: string
  readonly table_name: string
  readonly name: string
  readonly type: string
  readonly scope: 'shared' | 'locked'
  /** What the app reads from it, in the words of its links. */
  readonly config: Readonly<Record<string, string>>
  readonly is_default: boolean
  readonly position: number
}

export interface CommentRow extends Row {
  readonly table_name: 'actions' | 'findings' | 'inspections'
  readonly record_id: string
  readonly area: string
  readonly parent_id: string | null
  readonly body: string
  readonly author_id: string
  readonly edited_at: string | null
  readonly resolved_at: string | null
}
