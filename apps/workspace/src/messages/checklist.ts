import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const checklistMessages = inLanguages('checklistMessages', {
  capture: 'Capture',
  close: 'Close the checklist',
  progress: 'Questions answered',
  progressText: (done: number, all: number) => `${formatCount(done)} of ${formatCount(all)}`,
  place: (at: number, all: number) => `${formatCount(at)} of ${formatCount(all)}`,
  questions: 'All questions',
  hideQuestions: 'Back to the question',
  optional: 'This question may be skipped.',
  yes: 'Yes',
  no: 'No',
  notApplicable: 'n/a',
  notApplicableLong: 'Not applicable',
  last: (value: string) => `Last: ${value}`,
  useLast: (value: string) => `Use the last value, ${value}`,
  range: (min: string | undefined, max: string | undefined, unit: string) =>
    min === undefined
      ? `At most ${max}${unit}`
      : max === undefined
        ? `At least ${min}${unit}`
        : `Between ${min} and ${max}${unit}`,
  above: (limit: string) => `Above the limit of ${limit}`,
  below: (limit: string) => `Below the limit of ${limit}`,
  number: 'Enter a number',
  noValue: 'The table of answers has no field for this kind of question.',
  back: 'Back',
  saveNext: 'Save & next',
  skip: 'Skip',
  next: 'Next',
  savedAt: (time: string) => `Saved on this device ${time}`,
  draftKept: 'Kept on this device until you save it',
  answerOf: (prompt: string) => `Answer “${prompt}”`,
  readOnly: 'This checklist cannot be filled in now',
  gone: 'This record is not on this device',
  goneDetail: 'It was deleted, or you may no longer see it.',
  noQuestions: 'This template has no questions yet',
  noQuestionsDetail: 'Add questions to the template, and they are asked here.',
  open: 'Open the checklist',
  // Findings
  needsFinding: (answer: string) => `“${answer}” needs a finding`,
  addFinding: 'Add finding',
  continueFinding: 'Continue the finding',
  findingThere: (title: string) => `Finding: ${title}`,
  finding: 'Finding',
  photosOf: (count: number) => icu('{count, plural, one {# photo} other {# photos}} on this device', { count }),
  severity: 'Severity',
  whatIsWrong: 'What is wrong',
  titleDefault: (title: string) => `Left empty, it is called “${title}”`,
  saveFinding: 'Save finding',
  discardFinding: 'Discard the finding',
  newFinding: (prompt: string) => `Finding of “${prompt}”`,
  // Photos
  takePhoto: 'Take photo',
  morePhotos: 'Another photo',
  photoTaken: 'Photo taken.',
  noPhotos: 'This project stores no photos of these records.',
  // Position
  locate: 'Add where I am',
  locateAgain: 'Look again where I am',
  located: (lat: string, lon: string, accuracy: string) => `${lat}, ${lon} · accurate to ${accuracy}`,
  notLocated: {
    denied: 'The browser may not say where you are. Allow it in its settings for this site.',
    unavailable: 'This device could not find out where it is. Try again in the open.',
  },
  // Review
  reviewTitle: 'Look through and finish',
  allAnswered: 'Every question that has to be answered is answered.',
  unsavedAnswers: (count: number) =>
    icu(
      '{count, plural, one {# question has an answer or a finding that is not saved} other {# questions have answers or findings that are not saved}}',
      { count },
    ),
  missingAnswers: (count: number) =>
    icu('{count, plural, one {# question still has} other {# questions still have}} no answer', { count }),
  missingFindings: (count: number) =>
    icu('{count, plural, one {# answer still needs} other {# answers still need}} a finding', { count }),
  finish: 'Finish',
  finished: 'Checklist finished. It syncs automatically.',
  notAnswered: 'No answer',
  signature: 'Signature',
  signed: 'Signed',
  signatureOf: (name: string) => `Signature: ${name}`,
  signatureEmpty: 'Field for a signature, empty',
  signatureDrawn: 'Field for a signature, drawn in',
  signer: 'Name',
  signerHelp: 'Who cannot draw signs with the name alone.',
  signAgain: 'Sign again',
  clearSignature: 'Clear',
  saveSignature: 'Save signature',
  // Labels
  scan: 'Scan a label',
  scanning: 'Camera: hold it on the label',
  stopScanning: 'Stop scanning',
  scanStates: {
    starting: 'The camera is being opened. Allow it if the browser asks.',
    loading: 'The reader of codes is being loaded …',
    looking: 'Hold the camera on the barcode or QR code.',
  },
  scanHint:
    'Nothing read yet. Go closer, hold it flat and still, look for more light, or type what is printed on the label.',
  scanProblems: {
    denied:
      'The browser may not use the camera. Allow it in its settings for this site, choose a photo, or type what is printed on the label.',
    no_camera: 'This device has no camera that the app can use. Choose a photo, or type what is printed on the label.',
    busy: 'The camera stopped or is used by another app. Close that app and scan again, or type what is printed on the label.',
    no_reader:
      'The reader of codes is not on this device yet. Scan once with a connection; until then type what is printed on the label.',
  },
  labelPhoto: 'Choose a photo of the label',
  noCode: 'No code was found on this photo. Take it closer and straight, or type what is printed on the label.',
  noPicture: 'This file cannot be read as a picture.',
  label: 'Label',
  findLabel: 'Find',
  unknownLabel: (label: string) => `Nothing on this device has the label ${label}`,
  // Choosing
  captureLead: 'What you capture is saved on this device and syncs automatically.',
  drafts: 'Left in the middle on this device',
  leftAt: (time: string) => `Last worked on ${time}`,
  mine: (label: string) => `${label} of mine`,
  startNew: (noun: string) => `Start a new ${noun}`,
  forms: 'Forms',
  nothing: 'Nothing to capture here',
  nothingDetail: 'This project has no checklists and no forms yet. New records are made in their tables.',
  nothingOf: (label: string) => `${label} have no checklist and no form yet. New ones are made in their table.`,
  startOf: (title: string) => `Start ${title}`,
  startLead: 'What it is about',
  beginNow: 'Begin',
  discard: 'Discard',
  newRecord: (noun: string) => `New ${noun}`,
})
