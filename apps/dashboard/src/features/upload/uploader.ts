import type { SubmitDocuments, TaskState } from '@galley/contract';
import { type ApiError, asApiError, type DocumentUpload, isAbort } from '../../api/index.ts';
import type { CollectedFile } from './collect.ts';
import { SPEED_WINDOW_MS, type SpeedSample, type Upload, type UploadedTask } from './upload.model.ts';

/** What is asked for files that have not been sent yet. */
export interface UploadSettings {
  readonly priority: number;
  readonly engine: string;
  /** Whether the same bytes answer with the task that exists. */
  readonly dedupe: boolean;
  readonly atOnce: number;
}

/** Why nothing is sent for a while: the server asked to wait until then (ms), with this code. */
export interface Hold {
  readonly until: number;
  readonly code: string;
}

export interface UploaderView {
  readonly uploads: readonly Upload[];
  readonly settings: UploadSettings;
  readonly paused: boolean;
  /** It paused by itself, because the server stopped answering. */
  readonly pausedItself: boolean;
  readonly hold: Hold | null;
  readonly samples: readonly SpeedSample[];
}

export interface UploaderPorts {
  readonly submit: (upload: DocumentUpload) => Promise<SubmitDocuments>;
  readonly now: () => number;
  /** Runs something later; answers its undoing. */
  readonly later: (run: () => void, ms: number) => () => void;
  readonly changed: (view: UploaderView) => void;
}

const PUBLISH_EVERY_MS = 100;
const HOLD_MS = 5_000;
/** Refusals that a wait mends: nothing is wrong with the file. */
const WAITS = new Set(['queue_full', 'rate_limited', 'redis_unavailable', 'shutting_down']);
/** That many failures in a row, and it is not the files. */
const GIVES_UP_AFTER = 4;

/**
 * Sends files, a few at once, in the order in which they came.
 * It owns the list; whoever draws it gets a copy at most ten times a second. Outlives the page of uploads.
 */
export class Uploader {
  private readonly ports: UploaderPorts;
  private readonly files: File[] = [];
  private readonly running = new Map<number, AbortController>();
  private uploads: Upload[] = [];
  private settings: UploadSettings;
  private paused = false;
  private pausedItself = false;
  private hold: Hold | null = null;
  private samples: SpeedSample[] = [];
  private sent = 0;
  private answers = 0;
  private failuresInRow = 0;
  private publishing = false;

  constructor(ports: UploaderPorts, settings: UploadSettings) {
    this.ports = ports;
    this.settings = settings;
  }

  add(collected: readonly CollectedFile[]): void {
    for (const { file, folder } of collected) {
      this.files.push(file);
      this.uploads.push({
        id: this.uploads.length,
        folder,
        name: file.name,
        size: file.size,
        state: 'queued',
        share: 0,
        answeredAs: 0,
      });
    }
    this.pump();
  }

  set(change: Partial<UploadSettings>): void {
    this.settings = { ...this.settings, ...change };
    this.pump();
  }

  isPaused(): boolean {
    return this.paused;
  }

  /** What is on its way goes on; nothing new starts. */
  pause(): void {
    this.paused = true;
    this.publish();
  }

  resume(): void {
    this.paused = false;
    this.pausedItself = false;
    this.failuresInRow = 0;
    this.hold = null;
    this.pump();
  }

  /** Goes on where it paused by itself; a pause that somebody asked for stays. What failed meanwhile waits for its retry. */
  serverIsBack(): void {
    if (this.pausedItself) this.resume();
  }

  /** Stops one file, or everything that has not been answered. */
  stop(id?: number): void {
    for (const upload of this.uploads) {
      if (id !== undefined && upload.id !== id) continue;
      if (upload.state === 'queued') this.change(upload.id, { state: 'stopped' });
      if (upload.state === 'uploading') this.running.get(upload.id)?.abort();
    }
    this.publish();
  }

  /** Sends again one file, or all that failed; `stopped` ones too where asked. */
  retry(which: { readonly id: number } | { readonly states: readonly Upload['state'][] }): void {
    for (const upload of this.uploads) {
      const wanted = 'id' in which ? upload.id === which.id : which.states.includes(upload.state);
      if (wanted && this.isOver(upload)) this.change(upload.id, { state: 'queued', share: 0, refusal: undefined });
    }
    if (this.pausedItself) this.resume();
    else this.pump();
  }

  /** Takes every file off the list; only while none is on its way. */
  clear(): void {
    if (this.running.size > 0) return;
    this.files.length = 0;
    this.uploads = [];
    this.samples = [];
    this.publish();
  }

  /** What the wire told of a file's task. */
  taskTold(id: number, task: UploadedTask): void {
    if (this.uploads[id]?.task?.id !== task.id) return;
    this.change(id, { task });
  }

  private isOver(upload: Upload): boolean {
    return upload.state === 'failed' || upload.state === 'stopped' || upload.state === 'refused';
  }

  private change(id: number, change: Partial<Upload>): void {
    const upload = this.uploads[id];
    if (upload === undefined) return;
    this.uploads[id] = { ...upload, ...change };
    this.publish();
  }

  private publish(): void {
    if (this.publishing) return;
    this.publishing = true;
    this.ports.later(() => {
      this.publishing = false;
      this.sample();
      const { settings, paused, pausedItself, hold, samples } = this;
      this.ports.changed({ uploads: [...this.uploads], settings, paused, pausedItself, hold, samples });
    }, PUBLISH_EVERY_MS);
  }

  private sample(): void {
    const at = this.ports.now();
    this.samples =
      this.running.size === 0 ? [] : [...this.samples.filter((one) => at - one.at < SPEED_WINDOW_MS), { at, bytes: this.sent }];
  }

  private pump(): void {
    this.publish();
    if (this.paused || this.hold !== null) return;
    for (const upload of this.uploads) {
      if (this.running.size >= this.settings.atOnce) return;
      if (upload.state === 'queued') void this.send(upload.id);
    }
  }

  private async send(id: number): Promise<void> {
    const file = this.files[id];
    if (file === undefined) return;
    const controller = new AbortController();
    this.running.set(id, controller);
    this.change(id, { state: 'uploading', share: 0 });
    try {
      const answer = await this.ports.submit({
        files: [file],
        fields: this.fields(),
        signal: controller.signal,
        onProgress: (sent, total) => this.progressed(id, sent, total),
      });
      this.failuresInRow = 0;
      this.answered(id, answer);
    } catch (error) {
      if (isAbort(error)) this.change(id, { state: 'stopped', share: 0 });
      else this.failed(id, asApiError(error));
    } finally {
      this.running.delete(id);
      this.pump();
    }
  }

  private fields(): Readonly<Record<string, string>> {
    const { priority, engine, dedupe } = this.settings;
    return { priority: String(priority), engine, dedupe: String(dedupe) };
  }

  private progressed(id: number, sent: number, total: number): void {
    const upload = this.uploads[id];
    if (upload === undefined || total === 0) return;
    const share = Math.min(1, sent / total);
    this.sent += Math.max(0, (share - upload.share) * upload.size);
    this.change(id, { share });
  }

  private answered(id: number, answer: SubmitDocuments): void {
    this.answers += 1;
    const [document] = answer.documents;
    const [rejected] = answer.rejected;
    if (document !== undefined) {
      const task = { id: document.task_id, status: document.status satisfies TaskState };
      this.change(id, { state: document.duplicate ? 'duplicate' : 'accepted', share: 1, answeredAs: this.answers, task });
    } else {
      const { code, detail } = rejected ?? { code: 'unexpected_answer', detail: '' };
      this.change(id, { state: 'refused', answeredAs: this.answers, refusal: { code, detail } });
    }
  }

  private failed(id: number, error: ApiError): void {
    if (WAITS.has(error.code)) {
      this.change(id, { state: 'queued', share: 0 });
      this.wait(error);
      return;
    }
    this.answers += 1;
    const { code, detail } = error;
    const refused = error.status >= 400 && error.status < 500;
    this.change(id, { state: refused ? 'refused' : 'failed', answeredAs: this.answers, refusal: { code, detail } });
    this.failuresInRow = error.status === 0 ? this.failuresInRow + 1 : 0;
    if (this.failuresInRow < GIVES_UP_AFTER || this.paused) return;
    this.paused = true;
    this.pausedItself = true;
  }

  private wait(error: ApiError): void {
    if (this.hold !== null) return;
    const ms = error.retryAfter === undefined ? HOLD_MS : error.retryAfter * 1_000;
    this.hold = { until: this.ports.now() + ms, code: error.code };
    this.ports.later(() => {
      this.hold = null;
      this.pump();
    }, ms);
  }
}
