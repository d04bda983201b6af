import { type JSX, useId, useState } from 'react'
import { AddFiles, ChosenFileRow, PHOTOS } from '../../components/add-files.tsx'
import { fieldLabelClass } from '../../components/text-field.tsx'
import { uuidV7 } from '../../lib/fields/uuid-v7.ts'
import type { FileRules, Question } from '../../lib/fields/question.ts'
import { publicFormMessages as words } from '../../messages/public-form.ts'
import { SignHere } from '../record/files/sign-here.tsx'

const MEGABYTE = 1_048_576

/** A file that a visitor has chosen. */
export interface ChosenFile {
  readonly id: string
  readonly bytes: Blob
  readonly name: string
  readonly type: string
}

/** Asks for files. */
export function FilesInput({
  question: { field, label, help, isRequired, isSignature, files: rules },
  chosen,
  problem,
  onChange,
}: {
  readonly question: Question
  readonly chosen: readonly ChosenFile[]
  readonly problem: string | undefined
  readonly onChange: (chosen: readonly ChosenFile[]) => void
}): JSX.Element | null {
  const [refusal, setRefusal] = useState<string>()
  const [isAdding, setAdding] = useState(false)
  const [labelId, hintId] = [useId(), useId()]
  if (!rules) return null
  const add = async (given: readonly File[]): Promise<void> => {
    setAdding(true)
    const { added, refused } = await prepareAll(given, rules, rules.max - chosen.length)
    setAdding(false)
    setRefusal(refused)
    if (added.length > 0) onChange([...chosen, ...added])
  }
  const shown = refusal ?? problem
  return (
    <section data-field={field} aria-labelledby={labelId} aria-describedby={hintId} className="flex flex-col gap-1.5">
      <h2 id={labelId} className={fieldLabelClass}>
        {isRequired ? `${label} (${words.required})` : label}
      </h2>
      {chosen.length === 0 ? null : (
        <ul className="flex flex-col divide-y divide-border rounded-md border border-border">
          {chosen.map((file) => (
            <ChosenFileRow
              key={file.id}
              {...file}
              onRemove={() => onChange(chosen.filter(({ id }) => id !== file.id))}
            />
          ))}
        </ul>
      )}
      {isSignature ? (
        <SignHere
          isSigned={chosen.length > 0}
          onSign={(image) => onChange([{ id: uuidV7(), bytes: image, name: image.name, type: image.type }])}
        />
      ) : (
        <AddFiles
          onFiles={(given) => void add(given)}
          isDisabled={isAdding || chosen.length >= rules.max}
          accept={rules.kinds === 'photos' ? 'image/*' : undefined}
        />
      )}
      <p id={hintId} className="text-small text-muted">
        {[help, isSignature ? '' : words.fileRules(rules)].filter((text) => text !== '').join(' ')}
      </p>
      {shown === undefined ? null : (
        <p role="alert" className="text-small text-danger">
          {shown}
        </p>
      )}
    </section>
  )
}

/** Photos lose their place and camera, and are scaled down as those of members are. */
async function prepareAll(
  given: readonly File[],
  rules: FileRules,
  free: number,
): Promise<{ readonly added: readonly ChosenFile[]; readonly refused: string | undefined }> {
  const { preparePhoto, UnreadablePhoto } = await import('../../lib/photos/prepare-photo.ts')
  const added: ChosenFile[] = []
  const refused: string[] = []
  for (const file of given) {
    if (added.length >= free) {
      refused.push(words.filesTooMany(rules.max))
      break
    }
    const isPhoto = PHOTOS.test(file.type) && file.type !== 'image/gif'
    try {
      const bytes = isPhoto ? (await preparePhoto(file)).blob : file
      const name = isPhoto ? `${file.name.replace(/\.[^.]*$/, '') || 'photo'}.jpg` : file.name
      if (bytes.size === 0) refused.push(words.fileEmpty(file.name))
      else if (bytes.size > rules.megabytes * MEGABYTE) refused.push(words.fileTooLarge(file.name, rules.megabytes))
      else if (rules.kinds === 'photos' && !PHOTOS.test(bytes.type)) refused.push(words.fileNoPhoto(file.name))
      else added.push({ id: uuidV7(), bytes, name, type: bytes.type })
    } catch (error) {
      if (!(error instanceof UnreadablePhoto)) throw error
      refused.push(words.fileNoPhoto(file.name))
    }
  }
  return { added, refused: refused.length === 0 ? undefined : refused.join(' ') }
}
