// What a program in TypeScript does with the types that openapi-typescript makes: ADDRESS QUESTION,
// then one line of JSON about what it was told.
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

type Answer = components["schemas"]["Answer"];

const [baseUrl, question] = process.argv.slice(2);
const { GET, POST, DELETE } = createClient<paths>({ baseUrl });

async function ended(run_id: string): Promise<components["schemas"]["Run"]> {
  for (;;) {
    const { data, error } = await GET("/api/v1/runs/{run_id}", { params: { path: { run_id } } });
    if (error) throw new Error(error.detail);
    if (!["queued", "running"].includes(data.status)) return data;
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

const asked: components["schemas"]["AskFields"] = { question, source: "demo", model: "extractive" };
const started = await POST("/api/v1/runs", { body: asked });
if (started.error) throw new Error(started.error.detail);
const run_id = started.data.id;
const header = { "Idempotency-Key": crypto.randomUUID() };
const again = [1, 2].map(() => POST("/api/v1/runs", { body: asked, params: { header } }));
const [one, two] = await Promise.all(again);
const list = await GET("/api/v1/runs", { params: { query: {} } });
const run = await ended(run_id);
const given = run.answer;
// A run of another pipeline has another answer; the synthesis is the literature's alone.
const answer: Answer | null = given && "synthesis" in given ? given : null;
const path = { run_id };
const cancelled = await POST("/api/v1/runs/{run_id}/cancel", { params: { path } });
const bibtex = await GET("/runs/{run_id}.bib", { params: { path }, parseAs: "text" });
const deleted = await DELETE("/api/v1/runs/{run_id}", { params: { path } });
const gone = await GET("/api/v1/runs/{run_id}", { params: { path } });
const refused = await POST("/api/v1/runs", { body: { question: " " } });
console.log(
  JSON.stringify({
    status: run.status,
    same: one.data?.id === two.data?.id && one.data?.id !== run_id,
    listed: list.data?.runs.map((each) => each.question),
    next: list.data?.next,
    tldr: answer?.tldr,
    pmids: answer?.references.map((one) => one.pmid),
    verdicts: answer?.sentences.map((one) => one.verdict),
    judged: answer?.counts.judged,
    cancelled: cancelled.data?.status,
    bibtex: bibtex.data,
    deleted: deleted.response.status,
    gone: gone.error?.status,
    fields: refused.error?.errors?.map((one) => one.field),
  }),
);
