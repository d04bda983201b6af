import { isUnsent } from '@holdfast/client'
import { useAttachment, useAttachmentFile } from '@holdfast/react'
import { PenLine } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { momentOf } from '../../../lib/fields/dates.ts'
import { formatMoment } from '../../../lib/format.ts'
import { storeOrTell } from '../../../lib/data/unstored.ts'
import { type FieldFile, type FilesOf, useFieldFileEdits, useFieldFiles } from '../../../lib/photos/use-field-files.ts'
import { loadsUnasked } from '../../../lib/photos/use-photos.ts'
import { checklistMessages } from '../../../messages/checklist.ts'
import { fileMessages as words } from '../../../messages/files.ts'
import { NotHere } from '../photo-picture.tsx'
import { SignatureCanvas } from '../signature-canvas.tsx'
import { RemoveButton } from './file-row.tsx'

/** The signature of a field or question. Signing again replaces it. */
export function SignatureField({
  of,
  label,
  canEdit,
  isLarge = false,
}: {
  readonly of: FilesOf
  readonly label: string
  readonly canEdit: boolean
  /** Fills the screen of a phone, and opens for the first signature by itself. */
  readonly isLarge?: boolean
}): JSX.Element | null {
  const files = useFieldFiles(of)
  const edits = useFieldFileEdits(of)
  const [isSigning, setSigning] = useState(false)
  const signature = files?.at(-1)
  if (!files) return null
  const isFirst = isLarge && !signature
  if ((isSigning || isFirst) && canEdit) {
    return (
      <div className="flex max-w-xl flex-col gap-3">
        <SignatureCanvas
          onSign={async ({ image, name }) => {
            const stored = await storeOrTell(label, () =>
              edits.replace(image, name === '' ? checklistMessages.signature : name),
            )
            if (stored) setSigning(false)
          }}
        />
        {isFirst ? null : (
          <Button tone="quiet" className="self-start" onPress={() => setSigning(false)}>
            {words.cancel}
          </Button>
        )}
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-2">
      {signature ? <Signed signature={signature} /> : canEdit ? null : <p className="text-subtle">{words.notSigned}</p>}
      {canEdit ? (
        <div className="flex items-center gap-2 print:hidden">
          <Button
            {...(isLarge ? { className: 'h-14' } : { size: 'sm' })}
            icon={<PenLine size={16} aria-hidden />}
            onPress={() => setSigning(true)}
          >
            {signature ? checklistMessages.signAgain : words.sign}
          </Button>
          {signature ? <Remove signature={signature} onRemove={() => edits.remove(signature.id)} /> : null}
        </div>
      ) : null}
    </div>
  )
}

function Signed({ signature: { id, name, taken_at } }: { readonly signature: FieldFile }): JSX.Element {
  useAttachmentFile(id, { fetches: loadsUnasked })
  const { url } = useAttachment(id)
  const at = taken_at === null ? undefined : momentOf(taken_at)
  return (
    <figure className="flex max-w-80 flex-col gap-1">
      <div className="aspect-[3/1] overflow-hidden rounded-md border border-border bg-[white]">
        {url === undefined ? <NotHere id={id} /> : <img src={url} alt={name} className="size-full object-contain" />}
      </div>
      <figcaption className="text-small text-muted">
        {[name, at && formatMoment(at)].filter(Boolean).join(' · ')}
      </figcaption>
    </figure>
  )
}

function Remove({
  signature: { id, name },
  onRemove,
}: {
  readonly signature: FieldFile
  readonly onRemove: () => Promise<boolean>
}): JSX.Element {
  const { file } = useAttachmentFile(id, { fetches: () => false })
  return <RemoveButton name={name} isUnsent={file !== undefined && isUnsent(file)} onRemove={onRemove} />
}
