import type { Calendar } from './calendar.ts'
import type { Defect } from './findings.ts'
import type { Visit } from './visit.ts'
import { createId, createRandom } from './random.ts'
import type { PhotoRow } from './rows.ts'
import { SIZES } from './sizes.ts'
import { PHOTO_CAPTIONS } from './words/remarks.ts'

/** Number of photos that show an inspection rather than one of its findings. */
const INSPECTION_PHOTOS = 600
/** Findings with a photo; the rest of the photos are second ones of these. */
const FINDINGS_WITH_PHOTO = 2_400

/** Photo rows without files. Every finding in `shown` has at least one, as far as they go. */
export function generatePhotos(input: {
  readonly seed: number
  readonly calendar: Calendar
  readonly defects: readonly Defect[]
  readonly visits: readonly Visit[]
  /** Findings that users see first. */
  readonly shown: ReadonlySet<Defect>
}): readonly PhotoRow[] {
  const { seed, calendar, defects, shown } = input
  const random = createRandom(seed, 'photos')
  const shuffled = random.shuffle(defects)
  const firstOnes = [...shuffled.filter((one) => shown.has(one)), ...shuffled.filter((one) => !shown.has(one))].slice(
    0,
    FINDINGS_WITH_PHOTO,
  )
  const secondOnes = Array.from({ length: SIZES.photos - INSPECTION_PHOTOS - FINDINGS_WITH_PHOTO }, () =>
    random.pick(firstOnes),
  )
  const ofFindings = [...firstOnes, ...secondOnes].map((defect) => ({
    finding_id: defect.id,
    inspection_id: defect.visit?.id ?? null,
    day: defect.day,
    minute: defect.minute + random.integer(0, 4),
    created_by: defect.finder.user_id,
  }))
  const started = input.visits.filter((visit) => visit.state !== 'scheduled' && visit.state !== 'cancelled')
  const ofInspections = Array.from({ length: INSPECTION_PHOTOS }, () => {
    const visit = random.pick(started)
    const minute = visit.startMinute + random.integer(1, 30)
    return { finding_id: null, inspection_id: visit.id, day: visit.day, minute, created_by: visit.assignee.user_id }
  })

  return [...ofFindings, ...ofInspections].map(({ day, minute, ...links }, index) => {
    const at = calendar.moment(day, minute)
    return {
      id: createId(seed, 'photos', index),
      ...links,
      caption: random.pick(PHOTO_CAPTIONS),
      taken_at: at,
      attachment_id: null,
      annotation: random.chance(0.08)
        ? {
            v: 1,
            shapes: [
              { kind: 'circle', x: random.integer(20, 80), y: random.integer(20, 80), r: random.integer(5, 15) },
            ],
          }
        : null,
      created_at: at,
      updated_at: at,
    }
  })
}
