import { useAttachments, useRecords } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { Notice } from '../../../components/notice.tsx'
import { insertPhotoSql, type PhotoTable } from '../../../lib/data/photo-table.ts'
import { storeOrTell } from '../../../lib/data/unstored.ts'
import { toStoredMoment } from '../../../lib/fields/dates.ts'
import type { FieldValue } from '../../../lib/fields/field.ts'
import { uuidV7 } from '../../../lib/fields/uuid-v7.ts'
import { quoteName } from '../../../lib/sql.ts'
import { checklistMessages as words } from '../../../messages/checklist.ts'
import { SIGNATURE_HEIGHT, SIGNATURE_WIDTH, SignatureCanvas, type SignedImage } from '../signature-canvas.tsx'

export interface SignatureProps {
  readonly photos: PhotoTable
  /** Column that links photos to the record. */
  readonly link: string
  readonly table: string
  /** The record's column for the signature's path. */
  readonly column: string
  readonly recordId: string
  /** The record's current path. */
  readonly path: FieldValue
}

/** A signature under a checklist, drawn or typed. Stored as an image of the record. */
export function Signature(props: SignatureProps): JSX.Element {
  const { rows } = useRecords<{ readonly caption: string | null }>(
    props.path === null
      ? ''
      : `select ${props.photos.has.has('caption') ? 'caption' : 'null as caption'} from ${quoteName(props.photos.name)} where path = ?`,
    [props.path],
  )
  const [isAgain, setAgain] = useState(false)
  return (
    <section aria-labelledby="signature" className="flex flex-col gap-3">
      <h3 id="signature" className="text-heading">
        {words.signature}
      </h3>
      {props.path !== null && !isAgain ? (
        <Notice
          tone="success"
          role="status"
          title={rows[0]?.caption ?? words.signed}
          actions={
            <Button className="h-14" onPress={() => setAgain(true)}>
              {words.signAgain}
            </Button>
          }
        />
      ) : (
        <Pad {...props} onSigned={() => setAgain(false)} />
      )}
    </section>
  )
}

function Pad({ onSigned, ...props }: SignatureProps & { readonly onSigned: () => void }): JSX.Element {
  const save = useSaveSignature(props)
  const sign = async (signed: SignedImage): Promise<void> => {
    if (await save(signed)) onSigned()
  }
  return <SignatureCanvas onSign={sign} />
}

/** Saves the image and the record's path to it in one local transaction. */
function useSaveSignature({
  photos,
  link,
  table,
  column,
  recordId,
}: SignatureProps): (signed: SignedImage) => Promise<boolean> {
  const attachments = useAttachments()
  return async ({ image, name }) => {
    const id = uuidV7()
    const caption = name === '' ? words.signature : words.signatureOf(name)
    return storeOrTell(words.signature, () =>
      attachments.add(image, { id, name: `${id}.png` }, async (tx, { path, mediaType, size }) => {
        const taken_at = toStoredMoment(new Date(), true)
        const photo = {
          id,
          link,
          recordId,
          path,
          mediaType,
          size,
          width: SIGNATURE_WIDTH,
          height: SIGNATURE_HEIGHT,
          taken_at,
          caption,
        }
        const [sql, values] = insertPhotoSql(photos, photo)
        await tx.execute(sql, [...values])
        await tx.execute(`update ${quoteName(table)} set ${quoteName(column)} = ? where id = ?`, [path, recordId])
      }),
    )
  }
}
