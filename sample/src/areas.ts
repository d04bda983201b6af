import { defined } from '@holdfast/foundation'
import type { FindingRow, InspectionRow, PhotoRow, RegionRow, SiteRow } from './rows.ts'

/** The area that rows two steps away from a site carry, as the triggers of the sample set it. */
export interface Areas {
  ofInspection(id: string): string
  ofPhoto(photo: Pick<PhotoRow, 'inspection_id' | 'finding_id'>): string
}

export function createAreas(rows: {
  readonly regions: readonly RegionRow[]
  readonly sites: readonly SiteRow[]
  readonly inspections: readonly InspectionRow[]
  readonly findings: readonly FindingRow[]
}): Areas {
  const codes = new Map(rows.regions.map((region) => [region.id, region.code]))
  const sites = new Map(rows.sites.map((site) => [site.id, defined(codes.get(site.region_id), 'a site has a region')]))
  const areaOf = (site: string): string => defined(sites.get(site), 'the site exists')
  const inspections = new Map(rows.inspections.map((inspection) => [inspection.id, areaOf(inspection.site_id)]))
  const findings = new Map(rows.findings.map((finding) => [finding.id, areaOf(finding.site_id)]))
  const ofInspection = (id: string): string => defined(inspections.get(id), 'the inspection exists')
  return {
    ofInspection,
    ofPhoto: ({ inspection_id, finding_id }) =>
      inspection_id === null
        ? defined(findings.get(finding_id ?? ''), 'the finding exists')
        : ofInspection(inspection_id),
  }
}
