//! S-expressions: the shape of SMT-LIB text.
//!
//! Reading is a loop over an explicit stack, so that no nesting, however deep, exhausts the
//! stack of the process.

use std::ops::Range;

/// What is wrong with a text, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    pub range: Range<usize>,
    pub message: String,
    pub hint: Option<String>,
}

impl TextError {
    pub fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        TextError {
            range,
            message: message.into(),
            hint: None,
        }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// An expression of a [`Sexps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SexpId(usize);

#[derive(Clone, Debug)]
pub enum Sexp<'a> {
    /// A symbol, keyword or literal as written.
    Atom(&'a str),
    /// A symbol between bars; the bars are left out.
    Quoted(&'a str),
    /// A string as written, between its quotation marks: `""` in it stands for one.
    Text(&'a str),
    List(Vec<SexpId>),
}

/// A text read as S-expressions.
#[derive(Debug)]
pub struct Sexps<'a> {
    nodes: Vec<(Sexp<'a>, Range<usize>)>,
    root: SexpId,
}

impl<'a> Sexps<'a> {
    /// The text as one expression.
    pub fn read(text: &'a str) -> Result<Self, TextError> {
        let (nodes, roots) = read(text)?;
        match roots[..] {
            [root] => Ok(Sexps { nodes, root }),
            [] => Err(TextError::new(
                text.len()..text.len(),
                "an expression is expected here",
            )),
            [_, SexpId(second), ..] => Err(TextError::new(
                nodes[second].1.start..text.len(),
                "there is text after the end of the expression",
            )),
        }
    }

    /// The text as expressions one after the other, such as the commands of a script: the
    /// [root](Sexps::root) is the list of them.
    pub fn read_all(text: &'a str) -> Result<Self, TextError> {
        let (mut nodes, roots) = read(text)?;
        nodes.push((Sexp::List(roots), 0..text.len()));
        let root = SexpId(nodes.len() - 1);
        Ok(Sexps { nodes, root })
    }

    pub fn root(&self) -> SexpId {
        self.root
    }

    pub fn get(&self, id: SexpId) -> &Sexp<'a> {
        &self.nodes[id.0].0
    }

    pub fn range(&self, id: SexpId) -> Range<usize> {
        self.nodes[id.0].1.clone()
    }

    /// The name that a symbol stands for, quoted or not.
    pub fn symbol(&self, id: SexpId) -> Option<&'a str> {
        match self.get(id) {
            Sexp::Atom(name) | Sexp::Quoted(name) => Some(name),
            Sexp::Text(_) | Sexp::List(_) => None,
        }
    }

    pub fn list(&self, id: SexpId) -> Option<&[SexpId]> {
        match self.get(id) {
            Sexp::List(items) => Some(items),
            _ => None,
        }
    }

    /// The unquoted first word of a list, and what follows it.
    pub fn headed(&self, id: SexpId) -> Option<(&'a str, &[SexpId])> {
        let (first, rest) = self.list(id)?.split_first()?;
        match self.get(*first) {
            Sexp::Atom(head) => Some((head, rest)),
            _ => None,
        }
    }

    pub fn error(&self, id: SexpId, message: impl Into<String>) -> TextError {
        TextError::new(self.range(id), message)
    }
}

type Nodes<'a> = Vec<(Sexp<'a>, Range<usize>)>;

/// All expressions of the text, and which of them stand in no other.
fn read(text: &str) -> Result<(Nodes<'_>, Vec<SexpId>), TextError> {
    let mut reader = Reader {
        text,
        position: 0,
        nodes: Vec::new(),
    };
    let roots = reader.read()?;
    Ok((reader.nodes, roots))
}

struct Reader<'a> {
    text: &'a str,
    position: usize,
    nodes: Nodes<'a>,
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result<Vec<SexpId>, TextError> {
        let mut roots = Vec::new();
        let mut open: Vec<(usize, Vec<SexpId>)> = Vec::new();
        loop {
            self.skip_space();
            let start = self.position;
            let Some(next) = self.text[start..].chars().next() else {
                return match open.pop() {
                    Some((open, _)) => Err(TextError::new(
                        open..open + 1,
                        "this parenthesis is not closed",
                    )),
                    None => Ok(roots),
                };
            };
            let complete = match next {
                '(' => {
                    self.position += 1;
                    open.push((start, Vec::new()));
                    continue;
                }
                ')' => {
                    self.position += 1;
                    let Some((begin, items)) = open.pop() else {
                        return Err(TextError::new(
                            start..start + 1,
                            "this parenthesis was not opened",
                        ));
                    };
                    self.push(Sexp::List(items), begin..start + 1)
                }
                '|' => self.quoted()?,
                '"' => self.string()?,
                _ => self.atom(),
            };
            match open.last_mut() {
                Some((_, items)) => items.push(complete),
                None => roots.push(complete),
            }
        }
    }

    /// Skips white space and comments, which go from `;` to the end of their line.
    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.position..];
            let text = rest.trim_start();
            self.position += rest.len() - text.len();
            if !text.starts_with(';') {
                return;
            }
            self.position += text.find('\n').unwrap_or(text.len());
        }
    }

    fn quoted(&mut self) -> Result<SexpId, TextError> {
        let start = self.position;
        let Some(length) = self.text[start + 1..].find('|') else {
            return Err(TextError::new(
                start..start + 1,
                "this quoted symbol is not closed",
            ));
        };
        self.position = start + length + 2;
        let name = &self.text[start + 1..start + 1 + length];
        Ok(self.push(Sexp::Quoted(name), start..self.position))
    }

    /// A string ends at a quotation mark that no other one follows.
    fn string(&mut self) -> Result<SexpId, TextError> {
        let start = self.position;
        let mut end = start + 1;
        loop {
            let Some(length) = self.text[end..].find('"') else {
                let range = start..start + 1;
                return Err(TextError::new(range, "this string is not closed"));
            };
            end += length + 1;
            if !self.text[end..].starts_with('"') {
                break;
            }
            end += 1;
        }
        self.position = end;
        let content = &self.text[start + 1..end - 1];
        Ok(self.push(Sexp::Text(content), start..end))
    }

    fn atom(&mut self) -> SexpId {
        let start = self.position;
        let rest = &self.text[start..];
        let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '|' | '"' | ';');
        let length = rest.find(ends).unwrap_or(rest.len());
        self.position = start + length;
        self.push(Sexp::Atom(&rest[..length]), start..self.position)
    }

    fn push(&mut self, sexp: Sexp<'a>, range: Range<usize>) -> SexpId {
        self.nodes.push((sexp, range));
        SexpId(self.nodes.len() - 1)
    }
}
