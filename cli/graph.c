/* graph.c - `uopc graph`: the graph as Graphviz DOT, or as a picture drawn by Graphviz. */
#include "cli.h"

#include <stdlib.h>

typedef struct graph_args {
  cli_args common;
  const char *output;
  bool svg, png;
} graph_args;

/* All statements, so that what the result does not need is seen too. Freed with uop_free(). */
static char *dot_text(program *p, size_t *len) {
  const uop **tops;
  size_t n;
  if (!program_tops(p, &tops, &n)) return NULL;
  char *dot = uop_dot(p->ctx, tops, n, p->prog, len);
  if (!dot) diag_say(DIAG_ERROR, "out of memory");
  free(tops);
  return dot;
}

static bool draw(const graph_args *args, const char *dot, size_t len) {
  bytes picture = {NULL, 0, 0};
  bool ok = graphviz_render(args->svg ? "svg" : "png", dot, len, &picture) &&
            output_write(args->output, picture.at, picture.len);
  free(picture.at);
  return ok;
}

static int graph(const void *arguments) {
  const graph_args *args = arguments;
  program p = {0};
  size_t len = 0;
  if (args->svg && args->png)
    return diag_usage(&command_graph, "--svg and --png: give the one or the other");
  if (args->png && output_is_terminal(args->output)) return CLI_USAGE;
  char *dot = program_load(&p, &args->common) ? dot_text(&p, &len) : NULL;
  bool ok =
      dot && (args->svg || args->png ? draw(args, dot, len) : output_write(args->output, dot, len));
  if (p.ctx) uop_free(p.ctx, dot);
  program_free(&p);
  return ok ? CLI_FINE : CLI_WRONG;
}

static const opt_row options[] = {
    {0, "svg", OPT_FLAG, offsetof(graph_args, svg), NULL, "draw it, as SVG (needs Graphviz)"},
    {0, "png", OPT_FLAG, offsetof(graph_args, png), NULL, "draw it, as PNG (needs Graphviz)"},
    {'o', "output", OPT_TEXT, offsetof(graph_args, output), "FILE", "write to FILE"},
    OPT_ROW_TEXTS,
    OPT_ROW_END,
};

const command command_graph = {
    .name = "graph",
    .summary = "draw the graph (Graphviz DOT, SVG, PNG)",
    .about = "Prints the graph of all statements in Graphviz' DOT language: sources on top,\n"
             "results below; a node that is used twice is drawn once.",
    .examples = "  uopc graph prog.uir --svg -o prog.svg\n"
                "  uopc graph prog.uir | dot -Tpdf -o prog.pdf",
    .options = options,
    .args_size = sizeof(graph_args),
    .run = graph,
};
