import { ERROR_CATALOGUE, type ErrorCode, errorEntry, isErrorCode } from '@galley/contract';
import { useMemo } from 'react';
import { catalogue } from './catalogue.ts';
import { useLanguage } from './context.tsx';
import type { Language } from './language.ts';

interface Words {
  /** What it means, without a full stop. */
  readonly title: string;
  /** What to do, as a sentence. */
  readonly remedy: string;
}

/** The catalogue's sentences in Chinese. The type is total: a code that the contract gains does not compile until it is here. */
const CHINESE: Readonly<Record<ErrorCode, Words>> = {
  invalid_request: { title: '请求无效', remedy: '请按详情中指出的字段修改后重新发送。' },
  unauthorized: { title: '需要令牌', remedy: '请用令牌登录后再试。' },
  forbidden: { title: '当前角色无权执行此操作', remedy: '请联系管理员，或改用管理员令牌。' },
  host_not_allowed: { title: 'Host 标头不属于此服务器', remedy: '请使用启动时打印的地址，或将该名称加入 GALLEY_ALLOWED_HOSTS。' },
  origin_not_allowed: { title: '请求来自其他站点', remedy: '请在控制台自己的地址打开；其他站点不能调用它。' },
  not_found: { title: '此地址没有内容', remedy: '可用的路由见 /api/v1/openapi.json。' },
  task_not_found: { title: '没有此编号的任务', remedy: '请核对编号；保留期结束后任务会被移除。' },
  page_not_found: { title: '文档没有这一页，或尚未识别', remedy: '请查看各页及其状态。' },
  queue_not_found: { title: '没有此名称的队列', remedy: '请使用有工作进程服务的队列，例如 ocr。' },
  operation_not_found: { title: '没有此编号的操作', remedy: '操作结束后保留一天。' },
  method_not_allowed: { title: '此地址不接受这种方法', remedy: '请查看 Allow 标头。' },
  task_cancelled: { title: '任务已取消', remedy: '如需结果，请重新提交。' },
  task_dead_letter: { title: '任务已成为死信', remedy: '请查看其错误；管理员可以重试。' },
  task_not_finished: { title: '任务尚未完成', remedy: '请等待任务完成。' },
  invalid_state: { title: '任务当前状态不允许此操作', remedy: '任务状态已变化，请重新读取。' },
  idempotency_conflict: { title: '该 Idempotency-Key 已用于另一个请求', remedy: '新请求请使用新的键；仅在内容相同时重复使用同一个键。' },
  identity_taken: { title: '已有内容和选项相同的任务', remedy: '请使用该任务，或关闭去重后提交。' },
  result_expired: { title: '结果已过保留期', remedy: '重新上传文件即可再次识别。' },
  payload_too_large: { title: '请求体过大', remedy: '请减少单次发送的内容。' },
  too_many_files: { title: '单次请求的文件过多', remedy: '每次请求最多发送 100 个文件。' },
  nothing_accepted: { title: '请求中没有任何内容被接收', remedy: '每个被拒项都说明了原因。' },
  queue_full: { title: '队列已达深度上限', remedy: '请等待提示的时间后重新发送。' },
  rate_limited: { title: '请求过于频繁', remedy: '请等待提示的时间后重新发送。' },
  internal_error: { title: 'Galley 内部出错', remedy: '服务器日志中按请求编号记录了原因。' },
  not_implemented: { title: '此功能尚不可用', remedy: '详情中列出了可用的选项。' },
  redis_unavailable: { title: 'Redis 无法连接', remedy: '请稍后重新发送。正在提交的内容可能已经到达，请先查找。' },
  redis_full: {
    title: 'Redis 已无可用空间',
    remedy: '请调高 Redis 的 maxmemory，或缩短保留时间（GALLEY_RESULT_MS、GALLEY_RETENTION_MS）。',
  },
  shutting_down: { title: '服务器正在停止', remedy: '请稍后重新发送。' },
  empty_file: { title: '文件为空', remedy: '请从完整的来源重新上传。' },
  file_too_large: { title: '文件超过大小上限', remedy: '请拆分文件，或调高 GALLEY_MAX_FILE_BYTES。' },
  unsupported_format: { title: '不是 Galley 能识别的图片或 PDF', remedy: '请转换为 PDF、PNG、JPEG、TIFF、WebP、GIF、BMP 或 AVIF。' },
  encrypted_document: { title: 'PDF 需要密码', remedy: '请向发送方索取未加密的副本后重新上传。' },
  corrupt_document: { title: '文件已损坏', remedy: '请从来源重新获取文件。' },
  page_too_large: { title: '有一页超过像素上限', remedy: '请以较低分辨率扫描，或调高 GALLEY_MAX_PAGE_PIXELS。' },
  too_many_pages: { title: '文档页数过多', remedy: '请拆分文档，或调高 GALLEY_MAX_PAGES。' },
  blob_missing: { title: '此工作进程的存储中没有上传的文件', remedy: '服务器与工作进程必须共用 GALLEY_DATA_DIR 或同一个 S3 存储桶。' },
  url_not_allowed: { title: '不允许获取此网址', remedy: '请使用公开的 http 或 https 地址，或将其加入允许列表。' },
  fetch_failed: { title: '无法获取网址', remedy: '请确认对方服务器在线，然后重试。' },
  fetch_rejected: { title: '网址所在服务器拒绝了请求', remedy: '请检查地址及访问权限，然后重试。' },
  payload_invalid: { title: '任务的载荷不符合其类型', remedy: '请以正确的载荷重新提交。' },
  handler_missing: { title: '没有工作进程能处理此类任务', remedy: '请部署具备该处理器的工作进程，然后重试。' },
  timeout: { title: '运行超过时限', remedy: '请查看页面：内容很密的页面可能需要更长的 timeout_ms。' },
  crash: { title: '工作进程在运行任务时终止', remedy: '无需操作：任务会再次运行。' },
  crash_loop: { title: '工作进程在同一任务上反复崩溃', remedy: '重试前请先查看页面：过大或损坏的扫描件是常见原因。' },
  child_failed: {
    title: '有一个子任务成为死信或已被取消',
    remedy: '请重试每个成为死信的子任务，父任务会随之继续。若子任务是被取消的，请重试父任务：它会再次运行并得知此事。',
  },
  lock_contention: { title: '锁由其他持有者占用', remedy: '无需操作：会自动再试。' },
  lock_lost: { title: '持有期间锁已丢失', remedy: '无需操作：系统会再次尝试。如反复出现，请延长锁的有效期或按时续期。' },
  lock_store_unavailable: { title: '锁的存储没有响应', remedy: '请检查 Redis 或 RabbitMQ 是否正常，然后重试。' },
  upstream_rate_limited: { title: '引擎的服务器要求放慢速度', remedy: '无需操作：对方允许时会自动再试。' },
  upstream_failed: { title: '引擎的服务器出错', remedy: '请检查该服务器，然后重试：文件本身没有问题。' },
  upstream_rejected: { title: '引擎的服务器拒绝了此页', remedy: '请检查引擎的地址、密钥和模型，然后重试。' },
  engine_failed: { title: '引擎处理此页时出错', remedy: '请阅读错误详情，排除原因后重试。' },
  engine_unavailable: { title: '引擎未配置', remedy: '请使用 /readyz 列出的引擎，或配置此引擎。' },
  unknown_error: { title: '处理器出错', remedy: '请阅读错误信息和堆栈。' },
  lease_lost: { title: '此次运行已不再持有租约', remedy: '停止即可：另一次运行已开始，或任务已结束。' },
};

/** Where the catalogue's remedy already says that a retry cannot help, which pages say by themselves. */
const ENGLISH: Partial<Readonly<Record<ErrorCode, Words>>> = {
  corrupt_document: { title: 'The file is damaged', remedy: 'Get the file again from its source.' },
};

/** Failures that only a browser knows. */
const LOCAL: Readonly<Record<string, Readonly<Record<Language, Words>>>> = {
  unreachable: {
    en: { title: 'The server did not answer', remedy: 'Check that Galley runs and that this machine reaches it.' },
    zh: { title: '服务器没有响应', remedy: '请确认 Galley 正在运行且本机可以访问。' },
  },
  unexpected_answer: {
    en: { title: 'The server answered what this page does not understand', remedy: 'Reload the page: it may be older than the server.' },
    zh: { title: '服务器的回应无法识别', remedy: '请重新加载页面：它可能比服务器旧。' },
  },
};

export interface ErrorWords extends Words {
  /** Whether Retry can hope for another outcome. */
  readonly revivable: boolean;
}

/** What a code means and what to do, in a language; a code of a user's own handler reads as `unknown_error`. */
export function errorWords(code: string, language: Language): ErrorWords {
  const { revivable } = errorEntry(code);
  const local = LOCAL[code]?.[language];
  if (local !== undefined) return { ...local, revivable: true };
  const known: ErrorCode = isErrorCode(code) ? code : 'unknown_error';
  const words = language === 'zh' ? CHINESE[known] : (ENGLISH[known] ?? ERROR_CATALOGUE[known]);
  return { title: words.title, remedy: words.remedy, revivable };
}

/** `errorWords` in the language of the page. */
export function useErrorWords(): (code: string) => ErrorWords {
  const language = useLanguage();
  return useMemo(() => (code: string) => errorWords(code, language), [language]);
}

/** What a code means and what to do, in one line of the page's language. */
export function useErrorSentence(): (code: string) => string {
  const language = useLanguage();
  return useMemo(() => (code: string) => errorSentence(code, language), [language]);
}

/** Words that join an error's parts. */
export const errorJoin = catalogue(
  { sentence: (title: string, remedy: string) => `${title}. ${remedy}`, noRetry: 'Retrying will not help. ' },
  { sentence: (title, remedy) => `${title}。${remedy}`, noRetry: '重试无效。' },
);

/** What a code means and what to do, in one line. */
export function errorSentence(code: string, language: Language): string {
  const { title, remedy } = errorWords(code, language);
  return errorJoin[language].sentence(title, remedy);
}
